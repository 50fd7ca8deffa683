"""The endpoints of worker hosts. They are no part of the API: a host runs the same release as the site."""
