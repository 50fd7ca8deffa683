"""An optional accelerator: the rules in C, for thousands of games at once. ``games.fast.batch`` is its interface.

It covers Edel, Stein & Reich and its version for two. ``docs/internals/speed.md`` shows how to use it.
"""
