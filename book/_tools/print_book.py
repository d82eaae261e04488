"""Print the whole book as one PDF: ``_build/tokensel-nb.pdf``.

Sphinx sets all chapters on one page (builder ``singlehtml``), so that links between them stay links in the PDF; Chromium
prints it, with bookmarks and with tags for screen readers. Proofs, hints and solutions are opened first: paper has no buttons.
Of the API reference, two pages in five, the overview is printed: whoever looks up a function has a screen.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pikepdf
from browser import browser
from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "_build" / "singlehtml"
TARGET = ROOT / "_build" / "tokensel-nb.pdf"
NOT_PRINTED = '[id^="document-book/api/"]'  # where a page of the site begins that paper does without
# As soon as all is read, before scripts run.
LEAVE_OUT = """
document.addEventListener("readystatechange", () => {
  const pages = [...document.querySelectorAll(%s)].flatMap((each) => [each, each.nextElementSibling]);
  document.querySelectorAll('a[href^="#"]').forEach((link) => {
    const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (target && pages.some((each) => each.contains(target))) link.replaceWith(...link.childNodes);
  });
  pages.forEach((each) => each.remove());
}, { once: true });
"""
OPEN = """
async () => {
  await document.fonts.ready;
  document.querySelectorAll("details:not(.hide)").forEach((each) => { each.open = true; });
  document.querySelectorAll(".toggle-hidden").forEach((each) => each.classList.remove("toggle-hidden"));
  document.querySelectorAll('a[href^="_images/"]').forEach((each) => each.replaceWith(...each.childNodes));
  document.querySelectorAll(".the-pdf").forEach((each) => each.replaceWith("this PDF"));
}
"""
PATIENCE = 600_000  # ms: a whole book is one page here, and it takes 20 s on two idle cores
FOOTER = '<div style="width: 100%; text-align: center; font-size: 8px"><span class="pageNumber"></span></div>'


def one_page(*options: str) -> Path:
    """Return the page that holds the whole book, made of what Sphinx has read for the separate pages; "--all" reads anew."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    build = [Path(sys.executable).with_name("jupyter-book"), "build", ROOT, *options]
    build += ["-W", "-n", "--keep-going", "-q", "--builder", "custom", "--custom-builder", "singlehtml"]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    # The root is a page in a folder, but this builder writes its links as if it were not.
    page = FOLDER / "book.html"
    page.write_text((FOLDER / "book" / "index.html").read_text("utf-8").replace('href="book/index.html#', 'href="#'), "utf-8")
    return page


def print_page(page: Path, target: Path, chromium: Browser) -> None:
    """Print a page into a PDF, but for what paper does without."""
    tab = chromium.new_page()
    tab.set_default_timeout(PATIENCE)
    tab.add_init_script(LEAVE_OUT % json.dumps(NOT_PRINTED))
    tab.goto(page.as_uri())
    tab.evaluate(OPEN)
    margin = dict(top="16mm", bottom="18mm", left="16mm", right="16mm")
    tab.pdf(
        path=target, format="A4", scale=0.75, margin=margin, outline=True, tagged=True,
        print_background=True, display_header_footer=True, header_template="<span></span>", footer_template=FOOTER,
    )  # fmt: skip
    tab.close()
    pack(target)


def pack(target: Path) -> None:
    """Write a PDF's many small objects, which Chromium leaves as they are, compressed, and all else as small as it gets."""
    pikepdf.settings.set_flate_compression_level(9)
    with pikepdf.open(target, allow_overwriting_input=True) as pdf:
        pdf.save(object_stream_mode=pikepdf.ObjectStreamMode.generate, recompress_flate=True)


if __name__ == "__main__":
    with browser() as opened:
        print_page(one_page("--all"), TARGET, opened)
    print(f"The book is in {TARGET.relative_to(ROOT)} ({TARGET.stat().st_size / 1e6:.0f} MB)")
