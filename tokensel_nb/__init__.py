"""Why does attention pick the right word? The package behind the book tokensel-nb.

Names are imported when they are first used, so that nobody waits for unused modules; `__init__.pyi` lists them.
"""

import lazy_loader

_import, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name):
    """Import a name when it is first used; `__version__` is that of the installed package."""
    if name != "__version__":
        return _import(name)
    from importlib.metadata import version

    return version("tokensel-nb")
