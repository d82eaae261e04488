# /// script
# dependencies = ["ziamath==0.13", "fonttools[woff]==4.68.0"]
# ///
"""Cut the font of the formulas out of STIX Two Math: ``book/_static/formulas.woff2``.

    .venv/bin/uv run book/_tools/formula_font.py

The whole font has 6,757 glyphs and 1.5 MB. We keep what the formulas of the built pages show, all Latin and Greek letters, and
larger forms of roots, brackets and braces. Run it after `make html` once a formula has a sign that is new;
tests/site/test_formulas.py says so.
"""

import re
from copy import copy
from html import unescape
from importlib.resources import files
from pathlib import Path

from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.transformPen import TransformPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

ROOT = Path(__file__).resolve().parents[2]
PAGES, TARGET = ROOT / "_build" / "html", ROOT / "book" / "_static" / "formulas.woff2"
# Plain, and slanted as browsers draw a letter that is alone (an h was there before the others); the root, which no text names.
LETTERS = {*range(0x20, 0x7F), *range(0x391, 0x3CA), *range(0x1D434, 0x1D468), 0x210E, *range(0x1D6E2, 0x1D71C), 0x221A}
PRIMES = {0x2032: "minute", 0x2033: "second", 0x2034: "uni2034"}
# How many times as large as its largest form a sign is drawn, too: bars, a line over letters, braces below and above a term.
GROWN = {
    "|": [1.28, 1.54, 1.8, 2.3],
    "‖": [1.28, 1.54, 1.8, 2.3],
    "‾": [1.15**each for each in range(1, 20)],  # Chromium looks at twenty forms of a sign
    "⏟": [1.2, 1.45, 1.7, 2, 2.4, 2.9, 3.5, 4.2],
    "⏞": [1.2, 1.45, 1.7, 2, 2.4, 2.9, 3.5, 4.2],
}


def shown() -> set[int]:
    """Return every sign of every formula of the built pages."""
    pages = [page.read_text("utf-8") for page in PAGES.rglob("*.html")]
    formulas = [formula for page in pages for formula in re.findall(r"<math.*?</math>", page)]
    if not formulas:
        raise SystemExit("there are no built pages; run `make html`")
    return set(map(ord, unescape(re.sub("<[^>]*>", "", "".join(formulas)))))


def grown(font: TTFont, name: str, wide: float = 1, high: float = 1) -> str:
    """Add a glyph to a font, drawn as another one, wider or higher; return its name."""
    drawn, pen = DecomposingRecordingPen(font.getGlyphSet()), TTGlyphPen(None)
    font.getGlyphSet()[name].draw(drawn)
    drawn.replay(TransformPen(pen, (wide, 0, 0, high, 0, 0)))
    new = f"{name}.{wide:.2f}x{high:.2f}"
    font["glyf"][new] = glyph = pen.glyph()
    glyph.recalcBounds(font["glyf"])
    font["hmtx"][new] = round(wide * font["hmtx"][name][0]), glyph.xMin
    return new


def set_sizes(font: TTFont) -> None:
    """Give signs that grow the sizes that formulas need, drawn in one piece each.

    Chromium gives a small bracket or root the width of the largest. So brackets grow to 2.1 em only, braces to 3.8, and roots
    to 2.4 and no wider. Pieces would be put together with seams, and count as wide as the widest.
    """
    signs, variants = font.getBestCmap(), font["MATH"].table.MathVariants
    vertical = dict(zip(variants.VertGlyphCoverage.glyphs, variants.VertGlyphConstruction))
    horizontal = dict(zip(variants.HorizGlyphCoverage.glyphs, variants.HorizGlyphConstruction))
    for built in (*vertical.values(), *horizontal.values()):
        built.GlyphAssembly = None
    for sign in "()[]⌊⌋/√":
        del vertical[signs[ord(sign)]].MathGlyphVariantRecord[3 if sign == "√" else 6 :]
    width, _ = font["hmtx"][signs[ord("√")]]
    for record in vertical[signs[ord("√")]].MathGlyphVariantRecord[1:]:
        record.VariantGlyph = grown(font, record.VariantGlyph, wide=width / font["hmtx"][record.VariantGlyph][0])
    for sign, factors in GROWN.items():
        direction, way = (vertical, "high") if sign in "|‖" else (horizontal, "wide")
        records = direction[signs[ord(sign)]].MathGlyphVariantRecord
        largest = records[-1]
        for factor in factors:
            record = copy(largest)
            record.VariantGlyph = grown(font, largest.VariantGlyph, **{way: factor})
            record.AdvanceMeasurement = round(factor * largest.AdvanceMeasurement)
            records.append(record)
    for built in (*vertical.values(), *horizontal.values()):
        built.VariantCount = len(built.MathGlyphVariantRecord)
    font.setGlyphOrder(font["glyf"].glyphOrder)  # with what was added


def cut(signs: set[int]) -> TTFont:
    """Return a font of these signs: with its table of mathematics, its licence, and an i without a dot for below a hat."""
    font = TTFont(files("ziamath.fonts") / "STIXTwoMath-Regular.ttf", recalcTimestamp=False)
    set_sizes(font)
    font["MATH"].table.MathConstants.SubscriptBaselineDropMin.Value = 0  # the indices of γ and E stand in one line
    for table in font["cmap"].tables:  # primes as drawn for superscripts; browsers do not ask for these by themselves
        if table.format != 14:
            table.cmap = {**table.cmap, **{code: f"{name}.ssty" for code, name in PRIMES.items()}}
    options = Options(layout_features=["dtls"], hinting=False, name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14])
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=signs)
    subsetter.subset(font)
    font.flavor = "woff2"
    return font


if __name__ == "__main__":
    font = cut(LETTERS | shown())
    font.save(TARGET)
    print(f"{TARGET.relative_to(ROOT)}: {len(font.getGlyphOrder())} glyphs, {TARGET.stat().st_size:,} bytes")
