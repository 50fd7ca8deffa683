"""The resources of the API: their documents, query parameters and views.

Lists are read as plain dictionaries and encoded as JSON; no model instances are created on the way.
"""
