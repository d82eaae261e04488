"""What `make release` is made of, as far as it is quick: the rest is the rehearsal itself."""

import shutil
import tarfile

import first_cells
import nbformat
import pytest
import release
import yaml
from notebooks import ROOT


def test_files_agree_on_the_release():
    for what, files in release.told().items():
        assert len(set(files.values())) == 1, f"files tell of another {what}: {files}"
    assert first_cells.address().startswith("https://")


def test_the_paper_has_one_doi():
    (paper,) = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["references"]
    assert paper["doi"] == "10.48550/arXiv.2505.17282"
    assert f"doi       = {{{paper['doi']}}}" in (ROOT / "book" / "references.bib").read_text("utf-8")


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """Return a copy of what is pinned, with two notebooks."""
    (tmp_path / "book").mkdir()
    for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md", "book/01_model.ipynb", "book/06_your_data.ipynb"):
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
    assert tag == f"v{release.version()}"
    for path in (copy / "book").iterdir():
        title, first = nbformat.read(path, as_version=4).cells[:2]
        assert f"/blob/{tag}/book/{path.name})" in title.source
        assert f'"tokensel-nb[book] @ {address}/releases/download/{tag}/{name}#sha256={digest}"' in first.source
    built = tmp_path_factory.mktemp("built")
    release.build(ROOT, built, "wheel")
    assert not list(release.pinned_otherwise(built / name))
    (built / name).write_bytes(b"another")
    (other,) = release.pinned_otherwise(built / name)
    assert other.startswith(f"the notebooks' sha256 is {digest}, not ")
    release.unpin()
    assert contents(copy) == before


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
        assert packed.getnames() == ["html/book/index.html"]
    assert digests[0] == digests[1]
