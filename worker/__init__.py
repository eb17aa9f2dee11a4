"""The browser's side of the ports in ``client/ports.py``, and the worker's message loop.

A module here may ``import js`` at its top but resolves names of it inside functions: the memory snapshot is taken after
the imports, in Node, and a name bound then would be Node's.
"""
