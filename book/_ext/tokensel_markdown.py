"""The text of a resolved page as plain Markdown, which JupyterLab, Colab and VS Code show alike.

What the page has resolved stays as it is: numbers, titles, citations, marks. A kind of node that is not known here is an
error, since a converter that passes over what it does not know loses sentences.
"""

import re
from collections.abc import Iterable

from docutils import nodes

SILENT = {"substitution_definition", "comment", "target", "index", "scene"}
MARKUP = re.compile(r"[\\*`$]|(?<!\w)_|_(?!\w)|<(?=[a-z/!])|\A[#>+-](?= )")  # what Markdown would read otherwise
FORMULA = re.compile(r"\$\$(.*?)\$\$", re.DOTALL)


class Markdown:
    """Write the nodes of one page."""

    def __init__(self, page: nodes.document, numbers: dict):
        """Learn the numbers of figures, formulas and theorems, by kind and id, and which ids a link of the page leads to."""
        self.numbers = numbers
        self.asked = {link["refid"] for link in page.findall(nodes.reference) if "refid" in link}

    def number(self, kind: str, name: str) -> str:
        """Return the number that the page shows, as in "3.1"."""
        return ".".join(map(str, self.numbers[kind][name]))

    def anchors(self, node: nodes.Element) -> str:
        """Return the places of a node that a link of the page leads to."""
        return "".join(f'<a id="{name}"></a>' for name in node["ids"] if name in self.asked)

    # ---- blocks

    def blocks(self, children: Iterable[nodes.Node]) -> str:
        """Write blocks, with an empty line between two."""
        return "\n\n".join(text for text in map(self.block, children) if text.strip())

    def block(self, node: nodes.Node) -> str:
        """Write one block."""
        if kind(node) in SILENT:
            return ""
        if "countertype" in getattr(node, "attributes", ()):
            return self.block_statement(node)
        return self.known("block", node)(node)

    def known(self, role: str, node: nodes.Node):
        """Return the method for a kind of node."""
        if method := getattr(self, f"_{role}_{kind(node)}", None):
            return method
        raise NotImplementedError(f"no Markdown is known for {kind(node)}: {node.pformat()[:300]}")

    def _block_paragraph(self, node):
        return self.anchors(node) + self.inlines(node)

    def _block_bullet_list(self, node):
        return self._items(node, ["-"] * len(node))

    def _block_enumerated_list(self, node):
        first = node.get("start", 1)
        return self._items(node, [f"{number}." for number in range(first, first + len(node))])

    def _items(self, node, marks):
        texts = [self.blocks(item.children) for item in node.children]
        loose = any(len(item.children) > 1 for item in node.children)
        indented = [f"{mark} " + text.replace("\n", "\n" + " " * (len(mark) + 1)) for mark, text in zip(marks, texts)]
        return ("\n\n" if loose else "\n").join(indented)

    def _block_block_quote(self, node):
        return quoted(self.blocks(node.children))

    def _block_math_block(self, node):
        number = rf" \tag{{{self.number('displaymath', node['ids'][0])}}}" if node.get("label") else ""
        place = self.anchors(node)
        return f"{place}\n\n" * bool(place) + f"$$\n{node.astext().strip()}{number}\n$$"

    def _block_literal_block(self, node):
        return f"```{node.get('language', '')}\n{node.astext()}\n```"

    def _block_table(self, node):
        rows = [[self._entry(entry) for entry in row] for row in node.findall(nodes.row)]
        head, *body = ["| " + " | ".join(row) + " |" for row in rows]
        return "\n".join([head, "|---" * len(rows[0]) + "|", *body])

    def _entry(self, entry):
        text = " ".join(self.inlines(part) for part in entry.children)
        return re.sub(r"(?<!\\)\|", r"\\vert ", text)  # within formulas alone: prose has none

    def _block_admonition(self, node):
        title, *rest = node.children
        return f"**{self.inlines(title)}**\n\n{self.blocks(rest)}"

    def _block_container(self, node):
        if node.get("design_component") != "dropdown":
            raise NotImplementedError(f"no Markdown is known for this container: {node.pformat()[:300]}")
        title, *rest = node.children
        return self.details(self.inlines(title), rest, node)

    def _block_fold(self, node):
        return self.details(escaped(node["title"]), node.children, node)

    def details(self, title, children, node):
        """Write what a reader unfolds; the empty lines let Markdown be read inside."""
        return f"{self.anchors(node)}<details><summary>{title}</summary>\n\n{self.blocks(children)}\n\n</details>"

    def block_statement(self, node):
        """Write a theorem or the like."""
        title, body, *_ = node.children
        words, place = self.inlines(title).strip(), self.anchors(node)
        name = f"**{node['realtype'].capitalize()} {self.number(node['countertype'], node['ids'][0])}**"
        return f"{place}\n\n" * bool(place) + quoted(f"{name} {words}".strip() + f"\n\n{self.blocks(body.children)}")

    # ---- inline

    def inlines(self, node: nodes.Element) -> str:
        """Write the text of a node's children."""
        return "".join(self.known("inline", child)(child) for child in node.children)

    def _inline_Text(self, node):
        return escaped(node.astext().replace("\n", " "))

    def _inline_emphasis(self, node):
        return f"*{self.inlines(node)}*"

    def _inline_strong(self, node):
        return f"**{self.inlines(node)}**"

    def _inline_literal(self, node):
        return f"`{node.astext()}`"

    def _inline_math(self, node):
        return f"${' '.join(node.astext().split())}$"

    def _inline_reference(self, node):
        if any(node.findall(nodes.image)):  # the badge, whose link stands below the title
            return ""
        title = f' "{node["reftitle"]}"' if node.get("reftitle") else ""
        return f"[{self.inlines(node)}]({node.get('refuri') or '#' + node['refid']}{title})"

    _inline_number_reference = _inline_reference

    def _inline_inline(self, node):
        return self.inlines(node)

    _inline_paragraph = _inline_caption = _inline_inline

    def _inline_raw(self, node):
        return node.astext() if node["format"] == "notebook" else ""  # the same stands there for other builders

    def _inline_target(self, node):
        return self.anchors(node)


def kind(node: nodes.Node) -> str:
    """Return what a node is called."""
    return type(node).__name__


def escaped(text: str) -> str:
    """Keep letters from being markup."""
    return MARKUP.sub(r"\\\g<0>", text)


def quoted(text: str) -> str:
    """Quote text; a formula of several lines would show the marks of the quotation."""
    text = FORMULA.sub(lambda formula: f"$${' '.join(formula[1].split())}$$", text)
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
