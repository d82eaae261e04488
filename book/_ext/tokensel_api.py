"""The API pages: docstrings of what is exported, under the names that users write, each with a link to its lines of source.

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
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

PACKAGES = {"tokensel_nb": "ts", "tokensel_report": "tr"}  # and the name under which a user imports each
EXPORTED = frozenset(name for package in PACKAGES for name in import_module(package).__all__)
CODE_OR_BAR = re.compile(  # a span, a block after a double colon, an example
    r"``.*?``|::\n\n( +)\S.*(?:\n(?:\1.*)?)*|^ *>>>.*(?:\n.*\S.*)*|\|", re.MULTILINE
)


class Overview(SphinxDirective):
    """A row an exported name of a page, with the first line of its docstring: ``.. overview:: data`` of ``api/data.md``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write a list of modules, each with a list of what it exports."""
        page, lines = Path(self.env.srcdir, f"book/api/{self.arguments[0]}.md").read_text("utf-8"), []
        for module in re.findall(r"automodule:: (\S+)", page):
            definitions, short = import_module(module), PACKAGES[module.partition(".")[0]]
            lines += [f":py:mod:`{module.removeprefix('tokensel_nb.')}`", f"   {definitions.__doc__.splitlines()[0]}", ""]
            for name in filter(EXPORTED.__contains__, ModuleAnalyzer.for_module(module).find_tags()):
                line = getattr(definitions, name).__doc__.strip().splitlines()[0]
                lines += [f"   :py:obj:`{short}.{name} <{module}.{name}>`", f"      {line}", ""]
        escape_bars(self.env.app, "page", self.arguments[0], None, None, lines)
        return [nodes.container("", *self.parse_text_to_nodes("\n".join(lines)), classes=["overview"])]


def escape_bars(app: Sphinx, what: str, name: str, obj, options, lines: list[str]) -> None:
    """Keep bars, as in |S|, from being read as the marks of a substitution, except in code."""
    lines[:] = CODE_OR_BAR.sub(lambda found: r"\|" if found[0] == "|" else found[0], "\n".join(lines)).split("\n")


def skip(app: Sphinx, what: str, name: str, obj, skipped: bool, options) -> bool | None:
    """Leave out what is not exported, and what no one wrote: fields of named tuples, scikit-learn's metadata routing."""
    made = str(inspect.getdoc(obj)).startswith("Alias for field number") or re.fullmatch("set_[a-z_]+_request", name)
    return True if made or (what == "module" and name not in EXPORTED) else None


def show_prefix(app: Sphinx, domain: str, objtype: str, content: addnodes.desc_content) -> None:
    """Write ``ts.`` or ``tr.`` before an entry's name, as users do."""
    for signature in content.parent.findall(addnodes.desc_signature):
        module, place = signature["module"], signature.first_child_matching_class(addnodes.desc_addname)
        if place is not None and signature[place].astext() == f"{module}.":
            signature[place] = addnodes.desc_addname("", f"{PACKAGES[module.partition('.')[0]]}.")


def source_url(domain: str, info: dict[str, str]) -> str:
    """Path of the lines that define an entry, or of the file that does, for ``sphinx.ext.linkcode``."""
    place = ModuleAnalyzer.for_module(info["module"])
    _, first, last = place.find_tags().get(info["fullname"], (None, 0, 0))  # a constant has none
    path = Path(place.srcname).relative_to(Path(import_module("tokensel_nb").__file__).parents[1]).as_posix()
    return f"{path}#L{first}-L{last}" if first else path


def resolve(app: Sphinx, env, node: addnodes.pending_xref, content: nodes.Node) -> nodes.Node | None:
    """Find the entry of the wanted kind whose name ends as the reference does; modules last, short names first."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"].removeprefix("tokensel_nb.")
    if entries := env.get_domain("py").find_obj(env, None, None, target, node["reftype"], searchmode=1):
        name, entry = min(entries, key=lambda pair: (pair[1].objtype == "module", pair[0].count("."), pair[0]))
        return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, content, name)
    return content if node["reftype"] == "obj" else None  # "obj" is the role of a single backtick


def setup(app: Sphinx) -> None:
    """Register the above."""
    for extension in ("sphinx.ext.autodoc", "sphinx.ext.linkcode", "numpydoc"):
        app.setup_extension(extension)
    app.config.linkcode_resolve = lambda domain, info: app.config.extlinks["repo"][0] % source_url(domain, info)
    app.add_directive("overview", Overview)
    app.connect("autodoc-process-docstring", escape_bars)
    app.connect("autodoc-skip-member", skip)
    app.connect("object-description-transform", show_prefix)
    app.connect("missing-reference", resolve)
