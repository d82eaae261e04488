"""Formulas become MathML when the book is built: browsers set them by themselves, and pages load one font and no script."""

import re

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html import HTML5Translator

CONVERTER = LatexToMathML(fancy_error=False)
MENDED = {  # what browsers set badly
    r"<(msu[bp]\w*)>(<mo [^>]*minsize[^>]*>[^<]*</mo>)": r"\2<\1><mrow></mrow>",  # a bracket with an index does not grow
    r'size="1\.2em"': 'size="1.18em"',  # the font has one of 1.187 em
    "\u0332": "\u203e",  # a line over letters is no line below, combined
}


def mathml(node: nodes.math | nodes.math_block) -> str:
    """Return a formula as MathML; what the converter does not know is a warning, which ends the build."""
    try:
        text = CONVERTER.convert_with_local_state(node.astext(), displaystyle=isinstance(node, nodes.math_block))
    except LatexError as error:
        logging.getLogger(__name__).warning("%s in the formula %s", error, node.astext(), location=node)
        return ""
    for pattern, replacement in MENDED.items():
        text = re.sub(pattern, replacement, text)
    return text


def inline(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(f"{self.starttag(node, 'span', '', CLASS='math')}{mathml(node)}</span>")
    raise nodes.SkipNode


def block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula in lines of its own, in a box that scrolls, beside its number."""
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(f'<div class="formula">{mathml(node)}</div></div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the above."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.config.html_math_renderer = "mathml"
