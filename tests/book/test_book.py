"""The book's source hangs together; checked without building it, in under a second."""

import base64
import re
import subprocess
import sys
import tomllib

import pytest
import yaml
from notebooks import ROOT, figures, read

FOLDERS = (ROOT / "book", ROOT / "book" / "api", ROOT / "book" / "teaching")
PAGES = [page for folder in FOLDERS for page in [*folder.glob("[a-z0-9]*.md"), *folder.glob("*.ipynb")]]


@pytest.fixture(scope="module")
def tracked():
    """Text of every file that git tracks or would, by its path."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    if listing.returncode:
        pytest.skip("not a git checkout")
    paths = [p for p in listing.stdout.splitlines() if (ROOT / p).is_file()]
    return {p: (ROOT / p).read_text("utf-8", errors="ignore") for p in paths}


def load(name):
    """Read a YAML file of the root folder."""
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def test_table_of_contents_and_pages_agree():
    toc = load("_toc.yml")
    chapters = [chapter for part in toc["parts"] for chapter in part["chapters"]]
    entries = [toc["root"], *(each["file"] for chapter in chapters for each in [chapter, *chapter.get("sections", [])])]
    assert sorted(entries) == sorted(page.relative_to(ROOT).with_suffix("").as_posix() for page in PAGES)


def test_the_front_page_lists_every_chapter_in_its_place():
    listed = re.findall(r"^(\d+)\. \{doc\}`(\w+)`\. .+\?$", (ROOT / "book" / "index.md").read_text("utf-8"), re.MULTILINE)
    numbered = [part for part in load("_toc.yml")["parts"] if "numbered" in part]
    chapters = [chapter["file"].removeprefix("book/") for part in numbered for chapter in part["chapters"]]
    assert listed == [(str(number), chapter) for number, chapter in enumerate(chapters, 1)]


def test_packages_come_from_wherever_the_reader_gets_packages(tracked):
    """A lock that named an index would overrule a mirror, and one made behind a mirror would name that."""
    assert not re.search(r"https?:|--(index|extra-index|find-links|trusted-host)", tracked["requirements.lock"])


def test_files_agree_on_the_release(tracked):
    project, cited = tomllib.loads(tracked["pyproject.toml"])["project"], yaml.safe_load(tracked["CITATION.cff"])
    newest, day = re.search(r"^## ([\d.]+)\W+(.+?)\)?$", tracked["CHANGELOG.md"], re.MULTILINE).groups()
    assert [cited["version"], newest] == 2 * [project["version"]]
    assert str(cited.get("date-released", "unreleased")) == day
    assert cited["repository-code"] == project["urls"]["Repository"]
    told = (cited["title"], cited["version"], cited["repository-code"])
    assert all(f"{{{each}}}" in tracked["book/citing.md"] for each in told)


def test_one_file_names_the_public_address(tracked):
    """The others hold copies, which the tests above and in test_notebooks compare with it."""
    address = tomllib.loads(tracked["pyproject.toml"])["project"]["urls"]["Repository"].split("://")[1]
    named = [path for path, text in tracked.items() if address in text]
    assert [path for path in named if not path.endswith(".ipynb")] == ["CITATION.cff", "book/citing.md", "pyproject.toml"]


def test_the_paper_has_one_doi(tracked):
    (paper,) = yaml.safe_load(tracked["CITATION.cff"])["references"]
    assert f"doi       = {{{paper['doi']}}}" in tracked["book/references.bib"]


def test_no_file_depends_on_a_machine(tracked):
    # A path into someone's home, or to a folder next to this repository.
    machine = re.compile(r"(?<![\w.~/])/(?:home|Users|root|work)/\w|\.\./(?:shared|main)\b|C:\\Users\\\w")
    found = {path: match.group() for path, text in tracked.items() if (match := machine.search(text))}
    assert not found


def test_the_front_picture_is_the_chapters_own():
    cell = figures(read(ROOT / "book" / "02_one_step.ipynb"))["fig-one-step"]
    shown = (ROOT / "book" / "images" / "one_step.png").read_bytes()
    assert base64.b64decode(cell.outputs[-1].data["image/png"]) == shown, "stale: run `make results`"


def test_the_examples_of_the_readme_print_what_they_say():
    """Run the blocks of code one after the other; every comment after a print is what it prints."""
    code = "".join(block.split("```")[0] for block in (ROOT / "README.md").read_text("utf-8").split("```python\n")[1:])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    wanted = [line.split("  # ")[1] for line in code.splitlines() if line.startswith("print") or "load_imdb" in line]
    assert done.stdout.splitlines() == wanted


def test_what_may_write_to_the_repository_runs_git_alone():
    """A workflow's job that could be told by a package or a test what to push would be a way to every reader."""
    jobs = [job for path in (ROOT / ".github/workflows").glob("*.yml") for job in load(path)["jobs"].values()]
    (job,) = [job for job in jobs if job.get("permissions", {}).get("contents") == "write"]
    assert {step["run"].split()[0] for step in job["steps"] if "run" in step} == {"git", "cp"}
    assert all(re.match(r"actions/[\w-]+@[0-9a-f]{40}$", step["uses"]) for step in job["steps"] if "uses" in step)
