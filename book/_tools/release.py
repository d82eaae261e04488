"""A release, rehearsed: what people would download is built twice and compared, then tried where nothing else is.

`--pin` holds the notebooks to the wheel of the last commit first, `--unpin` lets them go again. Nothing is published:
RELEASING.md says what is left to a person.
"""

import argparse
import gzip
import hashlib
import io
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import audit
import first_cells

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "_build" / "release"
UV = Path(sys.executable).with_name("uv")
MODULES = ("max_margin", "leaving_out", "alignment")  # whose examples need no data
EXAMPLES = """
import doctest, importlib, sys
for name in sys.argv[1:]:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    done = doctest.testmod(importlib.import_module(f"tokensel_nb.{name}"), optionflags=flags)
    print(f"{name}: {done.attempted} lines of examples, {done.failed} failed")
    assert done.attempted and not done.failed
"""
PINNED = "[tool.tokensel.release]  # written by `make pin`, at the end of this file"
TEXTS = "text,label\n" + "a good film,up\ngood and moving,up\na bad film,down\nbad and long,down\n" * 15


def versions() -> dict[str, str]:
    """Return the version that each file tells: they must agree."""
    project = first_cells.settings()["project"]["version"]
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)[1]
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[1]
    return {"pyproject.toml": project, "CITATION.cff": cited, "CHANGELOG.md": newest}


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

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.mtime = entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mode = 0o755 if entry.isdir() else 0o644
        return entry

    with (
        file.open("wb") as raw,
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as tar,
    ):
        for each in sorted(folder.rglob("*")):
            if not each.name.startswith("."):
                tar.add(each, str(each.relative_to(folder.parent)), recursive=False, filter=plain)


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


def pin() -> int:
    """Hold badges and first cells to the wheel of the last commit, which does not depend on them."""
    unpin()
    with tempfile.TemporaryDirectory() as name:
        ((wheel, digest),) = build(committed(Path(name) / "tree"), Path(name) / "built", "wheel").items()
    tag = f"v{versions()['pyproject.toml']}"
    with (ROOT / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n{PINNED}\ntag = "{tag}"\nwheel = "{wheel}"\nsha256 = "{digest}"\n')
    first_cells.stamp_all()
    print(f"the notebooks are held to {wheel} of {tag}, {digest}: commit them, tag that commit, and then `make unpin`")
    return 0


def unpin() -> int:
    """Let the notebooks take the branch `main` again."""
    project = ROOT / "pyproject.toml"
    kept, _, _ = project.read_text("utf-8").partition(f"\n{PINNED}")
    project.write_text(kept, "utf-8")
    first_cells.stamp_all()
    return 0


def pinned_otherwise(wheel: Path) -> str:
    """Return in which way the notebooks are held to another release than this one; nothing if they are not."""
    this = {"tag": f"v{versions()['pyproject.toml']}", "wheel": wheel.name, "sha256": sha256(wheel)}
    held = first_cells.released()
    return ", ".join(f"{name} is {held[name]}, not {this[name]}" for name in held if held[name] != this[name])


def main() -> int:
    """Build, compare, try; leave the files and their digests in _build/release."""
    told = versions()
    if len(set(told.values())) > 1:
        print(f"release: the versions differ: {told}; make them agree")
        return 1
    subprocess.run(["rm", "-rf", OUT], check=True)
    OUT.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        built = [build(committed(folder / f"tree{n}"), folder / f"built{n}", "sdist", "wheel") for n in (1, 2)]
        if built[0] != built[1]:
            print(f"release: two builds of one commit differ: {built}")
            return 1
        for file in (folder / "built1").iterdir():
            file.rename(OUT / file.name)
        (wheel,), (archive,) = OUT.glob("*.whl"), OUT.glob("*.tar.gz")
        with tarfile.open(archive) as files:
            files.extractall(folder / "archive", filter="data")
        (tree,) = (folder / "archive").iterdir()
        if build(tree, folder / "built3", "wheel")[wheel.name] != sha256(wheel):
            print("release: the source archive builds another wheel")
            return 1
        if other := pinned_otherwise(wheel):
            print(f"release: the notebooks are held to another wheel: {other}; run `make pin`, and commit")
            return 1
        try_alone(wheel, folder)
    pack(ROOT / "_build" / "html", OUT / f"tokensel-nb-{told['pyproject.toml']}-pages.tar.gz")
    sums = [f"{sha256(file)}  {file.name}" for file in sorted(OUT.iterdir())]
    (OUT / "SHA256SUMS").write_text("\n".join(sums) + "\n", "utf-8")
    held = "held to this wheel by its digest" if first_cells.released() else "not held to a wheel: see `make pin`"
    print(*sums, f"the notebooks are {held}", "rehearsed, nothing published; RELEASING.md says what is left to do", sep="\n")
    return 0


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument(
        "--pin", dest="do", action="store_const", const=pin, help="hold the notebooks to the wheel of the last commit"
    )
    asked.add_argument("--unpin", dest="do", action="store_const", const=unpin, help="let them take the branch main again")
    sys.exit((asked.parse_args().do or main)())
