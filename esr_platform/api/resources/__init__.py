"""What everybody may read: every number that pages show, and the records of what was played.

Rows go from the database into plain dictionaries and from there into JSON; nothing makes objects of models on the way.
"""
