"""What a package index shows of a wheel: its description, which is the README, as a page where no other file lies beside it."""

import email
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from bs4 import BeautifulSoup
from readme_renderer import markdown

IN_REPOSITORY = re.compile(r"(?:blob|raw)/v[^/]+/(.+)")


def description(wheel: Path) -> str:
    """Return the description that a wheel carries."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_string(archive.read(name).decode("utf-8")).get_payload()


def faults(text: str, address: str, root: Path) -> Iterator[str]:
    """Yield what an index would show wrongly: TeX, and addresses that lead nowhere, as to files that are not below `root`."""
    page = BeautifulSoup(markdown.render(text) or "", "html.parser")
    if not page.h1:
        yield "the README does not become a page with a title"
    for place in page.select("a[href], img[src]"):
        target = place.get("href") or place["src"]
        inside = IN_REPOSITORY.fullmatch(target.removeprefix(f"{address}/"))
        if not target.startswith(("https://", "#user-content-")):
            yield f"{target} leads nowhere from a package index"
        elif inside and not (root / inside[1]).exists():
            yield f"there is no {inside[1]}, to which the README leads"
    for code in page.select("pre, code"):
        code.extract()
    yield from (f"TeX in the README: {line}" for line in page.get_text().splitlines() if "$" in line)
