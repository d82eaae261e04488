"""Why does attention pick the right word? The package behind the book tokensel-nb.

Names are imported when they are first used, so that nobody waits for what they do not need; `__init__.pyi` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
