"""What the book needs beyond ``_config.yml``: the repository's address, the execution switch, links into the code."""

import os
import tomllib
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.docutils import ReferenceRole, SphinxDirective

IDEAS = tuple(f"tokensel_{idea}" for idea in ("claims", "times", "api", "sliders", "offline", "access", "print"))
PAPER = "wu2025attention"  # its key in the bibliography


def set_repository(app: Sphinx, config: Config) -> None:
    """Read the public address from pyproject.toml, the one file that names it, for the buttons and the Colab links."""
    project = tomllib.loads((Path(app.srcdir) / "pyproject.toml").read_text("utf-8"))["project"]
    config.repository_url = project["urls"]["Repository"].rstrip("/")
    config.html_theme_options["repository_url"] = config.repository_url


def set_execution(app: Sphinx, config: Config) -> None:
    """Run every notebook anew when the environment asks for it; Jupyter Book has no command-line option for that."""
    if os.environ.get("TOKENSEL_BOOK_EXECUTE"):
        config.nb_execution_mode = "force"


def file_url(config: Config, path: str) -> str:
    """Address of a file of the repository; of the repository itself for an empty path or a dot."""
    if path in ("", "."):
        return config.repository_url
    return f"{config.repository_url}/blob/{config.html_theme_options['repository_branch']}/{path}"


class RepoRole(ReferenceRole):
    """A link to a file of the repository: ``{repo}`tests/test_claims.py``` or ``{repo}`the tests <tests>```."""

    def run(self) -> tuple[list[nodes.Node], list]:
        """Make the link; a path without a text of its own is set as code."""
        text = nodes.Text(self.title) if self.has_explicit_title else nodes.literal(text=self.title)
        return [nodes.reference("", "", text, internal=False, refuri=file_url(self.config, self.target))], []


class HowToCite(SphinxDirective):
    """BibTeX entries of the book, made from CITATION.cff and the public address, and of the paper, from the bibliography."""

    def run(self) -> list[nodes.Node]:
        """Make a block of code to copy."""
        root = Path(self.env.srcdir)
        cff = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))
        book = {
            "title": f"{{{cff['title']}}}",
            "author": " and ".join(f"{{{author['name']}}}" for author in cff["authors"]),
            "year": str(self.config.copyright),
            "version": cff["version"],
            "url": self.config.repository_url,
        }
        fields = ",\n".join(f"  {name} = {{{value}}}" for name, value in book.items())
        bibliography = (root / self.config.bibtex_bibfiles[0]).read_text("utf-8")
        paper = next(entry for entry in bibliography.split("\n\n") if entry.startswith(f"@inproceedings{{{PAPER},"))
        text = f"@misc{{tokensel_nb,\n{fields},\n}}\n\n{paper.strip()}"
        return [nodes.literal_block(text, text, language="bibtex")]


class Install(SphinxDirective):
    """The line that installs the package from the public address."""

    def run(self) -> list[nodes.Node]:
        """Make a block of code to copy."""
        text = f"pip install git+{self.config.repository_url}"
        return [nodes.literal_block(text, text, language="bash")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the above, and the other ideas of this folder."""
    app.add_config_value("repository_url", "", "env")
    app.connect("config-inited", set_repository)
    app.connect("config-inited", set_execution)
    app.add_role("repo", RepoRole())
    app.add_directive("how-to-cite", HowToCite)
    app.add_directive("install", Install)
    for idea in IDEAS:
        app.setup_extension(idea)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
