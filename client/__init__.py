"""The peer loader and its rules, in plain Python.

Nothing here knows a browser: what it needs of one comes through the protocols of :mod:`client.ports`,
so the same code runs under CPython in the tests and the registry, and under Pyodide in the worker.
"""

__version__ = "0.1.0"
