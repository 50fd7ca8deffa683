"""An optional accelerator: the rules in C, for thousands of games at once. ``games.fast.batch`` is its interface.

``docs/internals/speed.md`` shows how to use it. Each set of rules has a Python module with its structs and one
translation unit in C: ``gems`` is Edel, Stein & Reich and its version for two, ``wine`` is Die Weinhändler.
"""
