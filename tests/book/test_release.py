"""What `make release` is made of, as far as it is quick: the rest is the rehearsal itself."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tarfile

import first_cells
import nbformat
import pytest
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


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """Return a copy of what is pinned, with two notebooks."""
    (tmp_path / "book").mkdir()
    for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md", "book/01_model.ipynb", "book/10_your_data.ipynb"):
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    monkeypatch.setattr(first_cells, "ROOT", tmp_path)
    monkeypatch.setattr(release, "committed", lambda to: ROOT)
    release.unpin()
    return tmp_path


def contents(folder):
    """Return what is in all files of a folder, by name."""
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_release_holds_every_notebook_to_its_wheel_until_it_lets_them_go(copy, tmp_path_factory):
    before, address = contents(copy), first_cells.address()
    assert first_cells.package() == f"{address}/archive/main.zip"
    release.pin()
    release.pin()  # once more changes nothing
    tag, name, digest = first_cells.released().values()
    assert tag == f"v{release.versions()['pyproject.toml']}"
    for path in (copy / "book").iterdir():
        title, first = nbformat.read(path, as_version=4).cells[:2]
        assert f"/blob/{tag}/book/{path.name})" in title.source
        assert f'"tokensel-nb @ {address}/releases/download/{tag}/{name}#sha256={digest}"' in first.source
    built = tmp_path_factory.mktemp("built")
    release.build(ROOT, built, "wheel")
    assert release.pinned_otherwise(built / name) == ""
    (built / name).write_bytes(b"another")
    assert release.pinned_otherwise(built / name).startswith(f"sha256 is {digest}, not ")
    release.unpin()
    assert contents(copy) == before


@pytest.mark.parametrize("right", [True, False])
def test_pip_takes_a_wheel_of_that_digest_and_no_other(right, tmp_path):
    """As the first cell of a released notebook asks for it."""
    ((name, digest),) = release.build(ROOT, tmp_path / "built", "wheel").items()
    asked = f"tokensel-nb @ {(tmp_path / 'built' / name).as_uri()}#sha256={digest if right else digest[::-1]}"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", tmp_path / "there", asked]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode == 0) == right
    assert right or "DO NOT MATCH THE HASHES" in done.stderr


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
