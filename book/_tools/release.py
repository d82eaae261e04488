"""A release, rehearsed: files agree on it; what people would download is built twice, compared, and tried on its own.

`--pin` holds the notebooks to the wheel of the last commit first, `--unpin` lets them go again. Nothing is published:
RELEASING.md says what is left to a person.
"""

import argparse
import copy
import gzip
import hashlib
import io
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import audit
import first_cells
import index_page
import nbformat
import yaml

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "_build" / "release"
UV = Path(sys.executable).with_name("uv")
MODULES = ("margin", "model", "synthetic")  # whose examples need no data
EXAMPLES = """
import doctest, importlib, sys
for name in sys.argv[1:]:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    done = doctest.testmod(importlib.import_module(f"tokensel_nb.{name}"), optionflags=flags)
    print(f"{name}: {done.attempted} lines of examples, {done.failed} failed")
    assert done.attempted and not done.failed
"""
PINNED = "[tool.tokensel.release]  # written by `make pin`, at the end of this file"
UNRELEASED = "unreleased"  # what CHANGELOG.md says until a version has its day
TEXTS = "text,label\n" + "a good film,up\ngood and moving,up\na bad film,down\nbad and long,down\n" * 15


def version() -> str:
    """Return the version that would be released."""
    return first_cells.settings()["project"]["version"]


def told() -> dict[str, dict[str, str]]:
    """Return what each file tells of the version, its day and the repository's address: they must agree."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    newest, day = re.search(r"^## (\S+) \((.+)\)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE).groups()
    return {
        "version": {"pyproject.toml": version(), "CITATION.cff": str(cited["version"]), "CHANGELOG.md": newest},
        "day": {"CHANGELOG.md": day, "CITATION.cff": str(cited.get("date-released", UNRELEASED))},
        "address": {"pyproject.toml": first_cells.address(), "CITATION.cff": cited["repository-code"]},
    }


def git(*command: str) -> str:
    """Return what git prints in the repository; nothing where it fails."""
    return subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def stamped_otherwise() -> Iterator[str]:
    """Yield the notebooks whose badge or first cell is another than pyproject.toml asks for."""
    for path in sorted((ROOT / "book").glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        stamped = copy.deepcopy(notebook)
        first_cells.stamp(stamped, path.name)
        if stamped != notebook:
            yield path.name


def faults() -> Iterator[str]:
    """Yield why the last commit cannot be released, as far as that can be said before anything is built."""
    files, tag, held = told(), f"v{version()}", first_cells.released()
    day = files["day"]["CHANGELOG.md"]
    yield from (f"files tell of another {what}: {of}" for what, of in files.items() if len(set(of.values())) > 1)
    yield from (f"{name} has another badge or first cell than pyproject.toml asks for" for name in stamped_otherwise())
    if not re.fullmatch(rf"{UNRELEASED}|\d{{4}}-\d\d-\d\d", day):
        yield f"CHANGELOG.md says {day}, which is no day such as 2026-01-31"
    if held and day == UNRELEASED:
        yield f"the notebooks are held to {held['tag']}, which has no day yet in CHANGELOG.md"
    if changed := git("status", "--porcelain"):
        yield f"commit first, since the pages show what no commit holds:\n{changed}"
    tagged = git("rev-parse", "--verify", "--quiet", f"{tag}^{{commit}}")
    if tagged and tagged != git("rev-parse", "HEAD"):
        yield f"{tag} is another commit; a new release needs a new version"
    elif tagged and not held:
        yield f"{tag} is this commit, but the notebooks are not held to its wheel"


def insist(faults: Iterable[str]) -> None:
    """End here if something is wrong, and say what."""
    if wrong := [f"release: {fault}" for fault in faults]:
        sys.exit("\n".join(wrong))


def sha256(file: Path) -> str:
    """Return a file's digest."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def build(source: Path, to: Path, *targets: str) -> dict[str, str]:
    """Build what is asked for from a folder; return the digest of each file."""
    wanted = [part for target in targets for part in ("-t", target)]
    subprocess.run([sys.executable, "-m", "hatchling", "build", *wanted, "-d", to], cwd=source, check=True, capture_output=True)
    return {file.name: sha256(file) for file in sorted(to.iterdir())}


def committed(to: Path) -> Path:
    """Lay out what was last committed, and nothing else."""
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(to, filter="data")
    return to


def pack(folder: Path, file: Path) -> None:
    """Pack the pages: the same pages give the same bytes."""
    data = io.BytesIO()
    with gzip.GzipFile("", "wb", fileobj=data, mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.name.startswith("."):
                content = path.read_bytes()
                entry = tarfile.TarInfo(str(path.relative_to(folder.parent)))  # of no owner, no time, and anyone's to read
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
    file.write_bytes(data.getvalue())


def try_alone(wheel: Path, folder: Path) -> None:
    """Install the wheel, and what it asks for, where nothing else is; then use it as a reader would, away from the checkout."""
    python = folder / "bare" / "bin" / "python"
    (folder / "locked.txt").write_text("\n".join(audit.locked()), "utf-8")
    (folder / "texts.csv").write_text(TEXTS, "utf-8")
    command = python.with_name("tokensel")
    for step in (
        [UV, "venv", "--quiet", "--python", sys.executable, "bare"],
        [UV, "pip", "install", "--quiet", "--python", python, "-c", "locked.txt", f"{wheel}[report]"],
        [python, "-I", "-c", "import tokensel_nb as ts; assert 'site-packages' in ts.__file__; print(ts.versions())"],
        [python, "-I", "-c", EXAMPLES, *MODULES],
        [command, "--help"],
        [command, "report", "texts.csv", "--no-texts"],
    ):
        print("==", *map(str, step[:2]), *(["..."] if len(step) > 2 else []), flush=True)
        subprocess.run(step, cwd=folder, check=True)
    assert (folder / "report.html").stat().st_size > 10_000


def pin() -> None:
    """Hold badges and first cells to the wheel of the last commit, which does not depend on them."""
    unpin()
    with tempfile.TemporaryDirectory() as name:
        ((wheel, digest),) = build(committed(Path(name) / "tree"), Path(name) / "built", "wheel").items()
    tag = f"v{version()}"
    with (ROOT / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n{PINNED}\ntag = "{tag}"\nwheel = "{wheel}"\nsha256 = "{digest}"\n')
    first_cells.stamp_all()
    print(f"the notebooks are held to {wheel} of {tag}, {digest}: commit them, tag that commit, and then `make unpin`")


def unpin() -> None:
    """Let the notebooks take the branch `main` again."""
    project = ROOT / "pyproject.toml"
    kept, _, _ = project.read_text("utf-8").partition(f"\n{PINNED}")
    project.write_text(kept, "utf-8")
    first_cells.stamp_all()


def pinned_otherwise(wheel: Path) -> Iterator[str]:
    """Yield in which way the notebooks are held to another release than this one."""
    this = {"tag": f"v{version()}", "wheel": wheel.name, "sha256": sha256(wheel)}
    for name, held in first_cells.released().items():
        if held != this[name]:
            yield f"the notebooks' {name} is {held}, not {this[name]}: `make pin`, and commit"


def build_and_compare(folder: Path) -> Path:
    """Leave wheel and source archive of the last commit in _build/release; return the wheel, the same for whoever builds it."""
    built = [build(committed(folder / f"tree{n}"), folder / f"built{n}", "sdist", "wheel") for n in (1, 2)]
    insist([f"two builds of one commit differ: {built}"] if built[0] != built[1] else [])
    for file in (folder / "built1").iterdir():
        file.rename(OUT / file.name)
    (wheel,), (archive,) = OUT.glob("*.whl"), OUT.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        files.extractall(folder / "archive", filter="data")
    (tree,) = (folder / "archive").iterdir()
    again = build(tree, folder / "built3", "wheel")
    insist(["the source archive builds another wheel"] if again[wheel.name] != sha256(wheel) else [])
    return wheel


def main() -> None:
    """Check, build, try; leave the files and their digests in _build/release."""
    insist(faults())
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as name:
        wheel = build_and_compare(Path(name))
        insist(pinned_otherwise(wheel))
        insist(index_page.faults(index_page.description(wheel), first_cells.address(), ROOT))
        try_alone(wheel, Path(name))
    pack(ROOT / "_build" / "html", OUT / f"tokensel-nb-{version()}-pages.tar.gz")
    sums = [f"{sha256(file)}  {file.name}" for file in sorted(OUT.iterdir())]
    (OUT / "SHA256SUMS").write_text("\n".join(sums) + "\n", "utf-8")
    held = "held to this wheel by its digest" if first_cells.released() else "not held to a wheel: see `make pin`"
    print(*sums, f"version {version()} ({told()['day']['CHANGELOG.md']}); the notebooks are {held}", sep="\n")
    print("rehearsed, nothing published; RELEASING.md says what is left to do")


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.set_defaults(do=main)
    asked.add_argument("--pin", dest="do", action="store_const", const=pin, help="hold the notebooks to this commit's wheel")
    asked.add_argument("--unpin", dest="do", action="store_const", const=unpin, help="let them take the branch main again")
    asked.parse_args().do()
