"""The API page: docstrings as entries, under the names that users write, each with a link to its lines of source.

A single backtick in a docstring is a link where some entry has that name (or a name that ends so), else code. Chapters
link to an entry by ``{py:func}`max_margin```, where a name that no entry has is an error of the strict build.
"""

import inspect
import re
from importlib import import_module
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxRole
from sphinx.util.nodes import make_refnode

PACKAGE = "tokensel_nb"
PAGE = "book/api"
CODE_OR_BAR = re.compile(  # a span, a block after a double colon, an example
    r"``.*?``|::\n\n( +)\S.*(?:\n(?:\1.*)?)*|^ *>>>.*(?:\n.*\S.*)*|\|", re.MULTILINE
)


class Idea(SphinxRole):
    """The first line of a module's docstring: ``{idea}`corpus```."""

    def run(self) -> tuple[list[nodes.Node], list]:
        """Write the line as a cell of a table, without a full stop."""
        line = inspect.getdoc(import_module(f"{PACKAGE}.{self.text}")).split("\n")[0].removesuffix(".")
        return self.inliner.parse(line[0].lower() + line[1:], self.lineno, self.inliner, self.inliner.parent)


def escape_bars(app: Sphinx, what: str, name: str, obj, options, lines: list[str]) -> None:
    """Keep bars, as in |S|, from being read as the marks of a substitution, except in code."""
    lines[:] = CODE_OR_BAR.sub(lambda found: r"\|" if found[0] == "|" else found[0], "\n".join(lines)).split("\n")


def skip(app: Sphinx, what: str, name: str, obj, skipped: bool, options) -> bool | None:
    """Leave out what no one wrote: fields of named tuples (their class describes them), scikit-learn's metadata routing."""
    made = str(inspect.getdoc(obj)).startswith("Alias for field number") or re.fullmatch("set_[a-z]+_request", name)
    return True if made else None


def show_prefix(app: Sphinx, domain: str, objtype: str, content: addnodes.desc_content) -> None:
    """Write ``ts.`` before a name that the package exports, and the module's name before one that is imported from it."""
    exported = import_module(PACKAGE).__all__
    for signature in content.parent.findall(addnodes.desc_signature):
        module, prefix = signature["module"], signature.first_child_matching_class(addnodes.desc_addname)
        if prefix is not None and signature[prefix].astext() == f"{module}.":
            shown = "ts" if signature["fullname"] in exported else module.removeprefix(f"{PACKAGE}.")
            signature[prefix] = addnodes.desc_addname("", f"{shown}.")


def source_url(domain: str, info: dict[str, str]) -> str:
    """Path of the lines that define an entry, or of the file that does, for ``sphinx.ext.linkcode``."""
    place = ModuleAnalyzer.for_module(info["module"])
    _, first, last = place.find_tags().get(info["fullname"], (None, 0, 0))  # a constant has none
    path = Path(place.srcname).relative_to(Path(import_module(PACKAGE).__file__).parents[1]).as_posix()
    return f"{path}#L{first}-L{last}" if first else path


def set_linkcode(app: Sphinx, config: Config) -> None:
    """Hand ``sphinx.ext.linkcode`` the above."""
    config.linkcode_resolve = lambda domain, info: config.extlinks["repo"][0] % source_url(domain, info)


def resolve(app: Sphinx, env, node: addnodes.pending_xref, content: nodes.Node) -> nodes.Node | None:
    """Find the entry of the wanted kind whose name ends as the reference does; modules last, short names first."""
    if node.get("refdomain") != "py":
        return None
    python = env.get_domain("py")
    kinds = python.objtypes_for_role(node["reftype"], [])
    wanted = f".{node['reftarget'].removeprefix(f'{PACKAGE}.')}"
    found = [(name, entry) for name, entry in python.objects.items() if name.endswith(wanted) and entry.objtype in kinds]
    if found:
        name, entry = min(found, key=lambda pair: (pair[1].objtype == "module", pair[0].count("."), pair[0]))
        return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, content, name)
    return content if node["reftype"] == "obj" else None  # "obj" is the role of a single backtick


def fold_contents(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Show the modules in the page's contents, and their names only while one reads there."""
    if pagename == PAGE:
        context["theme_show_toc_level"] = 1


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the above."""
    for extension in ("sphinx.ext.autodoc", "sphinx.ext.linkcode", "numpydoc"):
        app.setup_extension(extension)
    app.add_role("idea", Idea())
    app.connect("config-inited", set_linkcode)
    app.connect("autodoc-process-docstring", escape_bars)
    app.connect("autodoc-skip-member", skip)
    app.connect("object-description-transform", show_prefix)
    app.connect("missing-reference", resolve)
    app.connect("html-page-context", fold_contents)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
