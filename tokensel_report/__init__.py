"""Which words does a classifier of your own texts rest on, and should it? The tool beside the book tokensel-nb.

Names are imported when they are first used, so that nobody waits for unused modules; `__init__.pyi` lists them.
"""

import lazy_loader

from tokensel_nb import extras

_import, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name):
    """Import a name when it is first used; if a package of the extra is missing, say how to install it."""
    try:
        return _import(name)
    except ModuleNotFoundError as error:
        if error.name.startswith("tokensel_"):
            raise
        raise ModuleNotFoundError(f"tokensel_report needs {error.name}: {extras.command('report')}", name=error.name) from error
