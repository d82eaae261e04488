"""The book's source hangs together; checked without building it, in under a second."""

import base64
import re
import subprocess
import sys
import tomllib

import long
import pytest
import yaml
from notebooks import ROOT, figures, read

FOLDERS = (ROOT / "book", ROOT / "book" / "api", ROOT / "book" / "teaching")
PAGES = sorted(page for folder in FOLDERS for page in folder.iterdir() if page.suffix in (".md", ".ipynb"))


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


def test_sphinx_runs_no_notebook():
    assert load("_config.yml")["execute"]["execute_notebooks"] == "off"


def test_own_extensions_are_accounted_for_and_stay_few():
    told, modules = (ROOT / "MAINTAINING.md").read_text("utf-8"), sorted((ROOT / "book" / "_ext").glob("*.py"))
    assert {module.stem for module in modules} == set(re.findall(r"`(tokensel_\w+)`", told))
    (most,) = re.findall(r"at most (\d+) lines", told)
    assert sum(len(module.read_text("utf-8").splitlines()) for module in modules) <= int(most)


def locked():
    """Return what requirements.lock says of each package: its version, where it is wanted, and the digests of its files."""
    return re.split(r"\n(?=\w)", (ROOT / "requirements.lock").read_text("utf-8").rstrip())


def test_every_locked_package_has_a_version_and_digests():
    for entry in locked():
        assert re.fullmatch(r"[a-z0-9.-]+==[^\s;]+( ; [^\\\n]+)?( \\\n    --hash=sha256:[0-9a-f]{64})+", entry), entry


def test_the_lock_holds_what_runs_on_every_machine_and_what_installs_and_builds_the_rest():
    names = {entry.split("==")[0] for entry in locked()}
    assert {"uv", "hatchling", "editables"} <= names
    assert not [name for name in names if name.startswith(("torch", "nvidia-", "cuda-", "triton"))]
    assert re.fullmatch(r"#[^\n]+\ntorch==[\d.]+\n", (ROOT / "torch.lock").read_text("utf-8"))


@pytest.mark.parametrize("path", ["requirements.lock", "torch.lock", "environment.yml"])
def test_packages_come_from_wherever_the_reader_gets_packages(path):
    """A lock that named an index would overrule a mirror, and one made behind a mirror would name that."""
    assert not re.search(r"https?:|--(index|extra-index|find-links|trusted-host)", (ROOT / path).read_text("utf-8"))


def test_one_file_names_the_public_address(tracked):
    """Notebooks and CITATION.cff hold copies, which test_notebooks and test_release compare with it."""
    address = tomllib.loads(tracked["pyproject.toml"])["project"]["urls"]["Repository"].split("://")[1]
    named = [path for path, text in tracked.items() if address in text]
    assert [path for path in named if not path.endswith(".ipynb")] == ["CITATION.cff", "pyproject.toml"]


def test_no_file_depends_on_a_machine(tracked):
    # A path into someone's home, or to a folder next to this repository.
    machine = re.compile(r"(?<![\w.~/])/(?:home|Users|root|work)/\w|\.\./(?:shared|main)\b|C:\\Users\\\w")
    found = {path: match.group() for path, text in tracked.items() if (match := machine.search(text))}
    assert not found


def test_the_front_picture_is_the_chapters_own():
    cell = figures(read(ROOT / "book" / "02_one_step.ipynb"))["fig-one-step"]
    shown = (ROOT / "book" / "images" / "one_step.png").read_bytes()
    assert base64.b64decode(cell.outputs[-1].data["image/png"]) == shown, "stale: run `make notebooks`"


def test_the_examples_of_the_readme_print_what_they_say():
    """Run the blocks of code one after the other; every comment after a print is what it prints."""
    code = "".join(block.split("```")[0] for block in (ROOT / "README.md").read_text("utf-8").split("```python\n")[1:])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    wanted = [line.split("  # ")[1] for line in code.splitlines() if line.startswith("print") or "load_imdb" in line]
    assert done.stdout.splitlines() == wanted


WORKFLOWS = pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.stem)


@WORKFLOWS
def test_workflows_may_only_read_and_what_publishes_builds_nothing(path):
    """It may write nothing in the repository, and runs in an environment, whose rules a person sets."""
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] in ({}, {"contents": "read"})
    for job in workflow["jobs"].values():
        if writes := {right for right, kind in job.get("permissions", {}).items() if kind == "write"}:
            assert writes <= {"id-token", "pages"}
            assert job["environment"]
            assert [step["run"] for step in job["steps"] if "run" in step] in ([], ["make upload"])


def test_an_upload_installs_uv_alone_by_its_digest():
    command = ["make", "--dry-run", "--no-print-directory", "VENV=not-there-yet", "upload"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    *before, last = printed.replace("\\\n", "").splitlines()
    (install,) = (line for line in before if "pip install" in line)
    assert "'/^uv==/" in install
    assert "--require-hashes" in install
    assert "uv publish --trusted-publishing always" in last


@WORKFLOWS
def test_workflows_name_actions_by_commits(path):
    """A tag can be moved by whoever owns the action; a commit cannot."""
    used = re.findall(r"uses: (.*)", path.read_text("utf-8"))
    assert used
    assert not [each for each in used if not re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)]


def test_every_part_of_the_long_tests_runs_every_week():
    job = yaml.safe_load((ROOT / ".github" / "workflows" / "contract.yml").read_text("utf-8"))["jobs"]["long"]
    assert job["strategy"]["matrix"]["part"] == long.PARTS
    assert all(place.exists() for place in long.PLACES.values())
