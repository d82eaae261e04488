"""What pages for teaching take from chapters, on a small book: shared, never copied; and what is not there stops the build."""

import io

import nbformat
import pytest
import tokensel_playthings
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

CHAPTER = """# A chapter

```{figure} picture.svg
:name: fig-one
:figclass: plaything-try
:alt: "A picture of nothing at all, drawn for a test."

Its caption.
```
"""
LESSON = """# A lesson

```{slides}
```

## One

```{shared} fig-one
```

```{shared} notebook answer = 42
```

{play}`there <chapter#try.text=not bad.&try.step=5>`
"""
CONF = """
extensions = ["myst_nb", "tokensel_playthings", "tokensel_teaching"]
root_doc = "book/lesson"
nb_execution_mode = "off"
"""


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Return a function that builds a page beside a chapter and a notebook: what the page is then, and the warnings."""

    def built(lesson):
        root = tmp_path_factory.mktemp("book")
        scripts = root / "book" / "_static" / tokensel_playthings.FOLDER
        scripts.mkdir(parents=True)
        for name in tokensel_playthings.scripts(["try"]):
            (scripts / name).touch()
        code = nbformat.v4.new_code_cell("answer = 42\nprint(answer)", execution_count=1)
        code.outputs = [nbformat.v4.new_output("stream", name="stdout", text="forty-two\n")]
        cells = [nbformat.v4.new_markdown_cell("# A notebook"), code]
        metadata = {"kernelspec": {"name": "python3", "display_name": "Python"}, "language_info": {"name": "python"}}
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), root / "book" / "notebook.ipynb")
        (root / "conf.py").write_text(CONF, "utf-8")
        (root / "book" / "picture.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', "utf-8")
        (root / "book" / "chapter.md").write_text(CHAPTER, "utf-8")
        (root / "book" / "lesson.md").write_text(lesson, "utf-8")
        warnings = io.StringIO()
        with docutils_namespace():  # a second build begins anew
            Sphinx(root, root, root / "out", root / "doctrees", "html", status=None, warning=warnings).build()
        said = [line for line in warnings.getvalue().splitlines() if "toctree" not in line]
        page = BeautifulSoup((root / "out" / "book" / "lesson.html").read_text("utf-8"), "html.parser")
        chapter = BeautifulSoup((root / "out" / "book" / "chapter.html").read_text("utf-8"), "html.parser")
        return page, chapter, said

    return built


@pytest.fixture(scope="module")
def found(build):
    return build(LESSON)


def test_a_figure_is_the_chapters_file_with_its_text_and_its_plaything_and_no_caption(found):
    page, chapter, said = found
    assert said == []
    (figure,), (theirs,) = page.select("figure"), chapter.select("figure")
    assert figure.img["src"] == theirs.img["src"]
    assert figure.img["alt"] == "A picture of nothing at all, drawn for a test."
    assert set(figure["class"]) >= {"shared", "plaything-try"}
    assert "Its caption." not in page.get_text()
    assert page.select("script[src*='playthings/try.js'], script[src*='slides.js']")


def test_a_cell_is_shown_with_what_it_printed(found):
    text = found[0].get_text()
    assert "print(answer)" in text
    assert "forty-two" in text


def test_a_link_leads_to_a_plaything_in_a_state(found):
    (link,) = (each for each in found[0].select("a") if each.get_text() == "there")
    assert link["href"] == "chapter.html#try.text=not%20bad.&try.step=5"


def test_results_alone_and_a_still_picture(build):
    page, _, said = build(LESSON.replace("42\n```", "42\n:results:\n```").replace("fig-one\n```", "fig-one\n:still:\n```"))
    assert said == []
    assert "forty-two" in page.get_text()
    assert "print(answer)" not in page.get_text()
    assert not page.select("figure.plaything-try")


@pytest.mark.parametrize(
    ("there", "not_there"),
    [
        ("fig-one", "fig-two"),
        ("notebook answer = 42", "notebook answer = 43"),
        ("chapter#try.text", "chapter#step.eta"),
    ],
)
def test_what_is_not_there_is_a_warning_and_so_the_end_of_a_strict_build(build, there, not_there):
    _, _, said = build(LESSON.replace(there, not_there))
    assert len(said) == 1
    assert "not one figure or cell" in said[0] or "no plaything has the address" in said[0]
