"""What `make release` is made of, as far as it is quick: the rest is the rehearsal itself."""

import importlib.util
import json
import re
import tarfile

import release
from notebooks import ROOT

SPEC = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
hatch_build = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(hatch_build)


def test_the_versions_agree():
    assert len(set(release.versions().values())) == 1


def test_the_wheel_holds_the_reports_cells_and_does_not_depend_on_the_first_one():
    """Which names the wheel's digest."""
    notebook = json.loads((ROOT / "book" / hatch_build.NOTEBOOK).read_text("utf-8"))
    held = hatch_build.cells_of_the_report(notebook)
    assert len(held["cells"]) == sum("report" in cell["metadata"].get("tags", []) for cell in notebook["cells"]) > 10
    assert not any(cell.get("outputs") for cell in held["cells"])
    assert "google.colab" in "".join(notebook["cells"][1]["source"])
    notebook["cells"][1]["source"] = ["other"]
    notebook["cells"][-1]["id"] = "another"
    assert hatch_build.cells_of_the_report(notebook) == held


def test_what_is_built_from_the_same_files_is_the_same(tmp_path):
    """The wheel; the rehearsal compares the source archive too, and builds in other folders."""
    digests = []
    for name in ("one", "two"):
        release.build(ROOT, tmp_path / name, "wheel")
        (wheel,) = (tmp_path / name).iterdir()
        digests.append(release.sha256(wheel))
    assert digests[0] == digests[1]


def test_pages_are_packed_the_same_whenever_they_were_made(tmp_path):
    digests = []
    for name in ("one", "two"):
        pages = tmp_path / name / "html"
        (pages / "book").mkdir(parents=True)
        (pages / "book" / "index.html").write_text("a page")
        (pages / ".ready").touch()
        release.pack(pages, tmp_path / f"{name}.tar.gz")
        digests.append(release.sha256(tmp_path / f"{name}.tar.gz"))
    with tarfile.open(tmp_path / "one.tar.gz") as packed:
        assert packed.getnames() == ["html/book", "html/book/index.html"]
    assert digests[0] == digests[1]


def test_what_a_person_is_told_to_run_is_there():
    targets = re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE)
    told = re.findall(r"`make (\w+)`", (ROOT / "RELEASING.md").read_text("utf-8"))
    assert "release" in told
    assert set(told) <= set(targets)
