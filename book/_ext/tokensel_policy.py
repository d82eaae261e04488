"""What a finished page may load and run: its own files, and the scripts that it was built with, each named by its digest.

So a script that gets into a page in any other way does not run, wherever the page is read; and nothing can be sent elsewhere.
"""

import base64
import hashlib
import html
import re
from pathlib import Path

from sphinx.application import Sphinx

POLICY = {
    "default-src": "'none'",
    "script-src": "'self' 'unsafe-hashes'",  # with digests, for the theme's two buttons that have a handler of their own
    "style-src": "'self' 'unsafe-inline'",  # formulas, and the theme, set styles as they go
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",  # the search reads the pages that it quotes
    "form-action": "'self'",
    "base-uri": "'none'",
}
INLINE = re.compile(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.DOTALL)
HANDLER = re.compile(r'<[^<>]*\son[a-z]+="([^"]*)"')
PLACE = '<meta charset="utf-8" />'  # before anything that is loaded


def digests(page: str) -> list[str]:
    """Return the digest of every script and handler that stands in a page, each once, as a policy names it."""
    scripts = [*INLINE.findall(page), *map(html.unescape, HANDLER.findall(page))]
    hashed = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    return [f"'sha256-{digest}'" for digest in dict.fromkeys(hashed)]


def with_policy(page: str) -> str:
    """Return a page with its policy."""
    allowed = POLICY | {"script-src": " ".join([POLICY["script-src"], *digests(page)])}
    content = "; ".join(f"{kind} {sources}" for kind, sources in allowed.items())
    return page.replace(PLACE, f'{PLACE}\n    <meta http-equiv="Content-Security-Policy" content="{content}" />', 1)


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Write the policy into every page but the first, which only leads to another."""
    if exception or app.builder.name != "html":
        return
    for file in Path(app.outdir).rglob("*.html"):
        page = file.read_text("utf-8")
        if PLACE in page:
            file.write_text(with_policy(page), "utf-8")


def setup(app: Sphinx) -> None:
    """Register the above: after all else, since nothing may change a script any more."""
    app.connect("build-finished", finish, priority=900)
