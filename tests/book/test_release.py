"""What `make release` is made of, as far as it is quick: the rest is the rehearsal itself."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tarfile

import first_cells
import index_page
import nbformat
import pytest
import release
import yaml
from notebooks import ROOT

SPEC = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
hatch_build = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(hatch_build)


def test_files_agree_on_the_release():
    for what, files in release.told().items():
        assert len(set(files.values())) == 1, f"files tell of another {what}: {files}"
    assert first_cells.address().startswith("https://")


def test_the_paper_has_one_doi():
    (paper,) = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["references"]
    assert paper["doi"] == "10.48550/arXiv.2505.17282"
    assert f"doi       = {{{paper['doi']}}}" in (ROOT / "book" / "references.bib").read_text("utf-8")


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


def replaced(file, old, new):
    """Write a file with a part replaced."""
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")


def command(*words):
    """Return a fault: a git command is run in the copy."""
    return lambda copy: subprocess.run(["git", *words], cwd=copy, check=True)


def edit(name, old, new, *, commit=True):
    """Return a fault: a file is changed, and that committed."""

    def make(copy):
        replaced(copy / name, old, new)
        if commit:
            command("commit", "--quiet", "--all", "--message", "a fault")(copy)

    return make


def held(copy):
    """Hold the notebooks to the wheel, and commit that."""
    release.pin()
    command("commit", "--quiet", "--all", "--message", "held")(copy)


def dated(copy):
    """Give the release its day, and commit that."""
    replaced(copy / "CHANGELOG.md", "(unreleased)", "(2026-01-31)")
    edit("CITATION.cff", "license:", "date-released: 2026-01-31\nlicense:")(copy)


@pytest.fixture
def committed(copy, monkeypatch):
    """Return the copy, committed and without a fault; its version is not released yet."""
    for name, value in {"AUTHOR_NAME": "a", "AUTHOR_EMAIL": "a@b.c", "COMMITTER_NAME": "a", "COMMITTER_EMAIL": "a@b.c"}.items():
        monkeypatch.setenv(f"GIT_{name}", value)
    for file, pattern in {"CHANGELOG.md": r"(?<=^## )(\S+) \(.*\)", "CITATION.cff": "^date-released: .*\n"}.items():
        new = rf"\1 ({release.UNRELEASED})" if file == "CHANGELOG.md" else ""
        text = re.sub(pattern, new, (copy / file).read_text("utf-8"), count=1, flags=re.MULTILINE)
        (copy / file).write_text(text, "utf-8")
    command("init", "--quiet")(copy)
    command("add", "--all")(copy)
    command("commit", "--quiet", "--message", "all")(copy)
    assert not list(release.faults())
    return copy


TAG = command("tag", f"v{release.version()}")
FAULTS = {
    "another version": ([edit("CITATION.cff", "\nversion: ", "\nversion: 9")], "another version"),
    "another day": ([edit("CHANGELOG.md", "(unreleased)", "(2026-01-31)")], "another day"),
    "another address": ([edit("pyproject.toml", "https://github.com/", "https://example.org/")], "another address"),
    "no day": ([dated, edit("CHANGELOG.md", "2026-01-31", "in May"), edit("CITATION.cff", "2026-01-31", "in May")], "in May"),
    "a badge by hand": ([edit("book/01_model.ipynb", "/blob/main/", "/blob/other/")], "01_model.ipynb has another badge"),
    "held, but without a day": ([held], "has no day yet"),
    "not committed": ([edit("CHANGELOG.md", "- ", "- And ", commit=False)], "commit first"),
    "tagged before": ([dated, held, TAG, edit("CHANGELOG.md", "- ", "- And ")], "a new version"),
    "tagged, but not held": ([dated, TAG], "not held to its wheel"),
}


@pytest.mark.parametrize(("steps", "said"), FAULTS.values(), ids=FAULTS)
def test_a_rehearsal_refuses(steps, said, committed):
    for step in steps:
        step(committed)
    found = list(release.faults())
    assert any(said in fault for fault in found)
    with pytest.raises(SystemExit, match="release: "):
        release.insist(found)


def test_a_rehearsal_accepts_what_is_ready_to_tag_and_the_tag(committed):
    for step in (dated, held):
        step(committed)
    assert not list(release.faults())
    TAG(committed)
    assert not list(release.faults())


@pytest.fixture(scope="module")
def description(tmp_path_factory):
    """Return the description that the wheel carries."""
    folder = tmp_path_factory.mktemp("built")
    ((name, _),) = release.build(ROOT, folder, "wheel").items()
    return index_page.description(folder / name)


def test_a_package_index_shows_the_readme_as_it_is_meant(description):
    address = f"{first_cells.address()}/raw/v{release.version()}"
    assert not list(index_page.faults(description, first_cells.address(), ROOT))
    assert f"({address}/book/images/one_step.png)" in description


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ("[a page](book/index.md)", "book/index.md leads nowhere"),
        ("![a picture](book/images/one_step.png)", "book/images/one_step.png leads nowhere"),
        (f"[gone]({first_cells.address()}/blob/v1.0/no/such.md)", "there is no no/such.md"),
        ("the law $d^{-1/2}$", "TeX in the README: the law"),
        ("<a href='data/README.md'>cards</a>", "data/README.md leads nowhere"),
    ],
)
def test_what_an_index_would_show_wrongly_is_told(added, said, description):
    (fault,) = index_page.faults(f"{description}\n\n{added}\n", first_cells.address(), ROOT)
    assert fault.startswith(said)


def test_a_readme_that_is_no_page_is_told():
    assert list(index_page.faults("", first_cells.address(), ROOT))


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
        assert packed.getnames() == ["html/book/index.html"]
    assert digests[0] == digests[1]


def test_what_a_person_is_told_to_run_is_there():
    targets = re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE)
    told = re.findall(r"`make (\w+)`", (ROOT / "RELEASING.md").read_text("utf-8"))
    assert "release" in told
    assert set(told) <= set(targets)
