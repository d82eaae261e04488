"""Look the locked packages up among known advisories, and say so where no database answers.

Where a mirror answers in the database's place, every package is unknown to it, and an audit ends well. So a version with
well-known holes is looked up first: where nothing is known of that one, nothing is known of any.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONTROL = "jinja2==2.4.1"  # of 2010: files that others may replace, and ways out of the sandbox
ACCEPTED: dict[str, str] = {}  # an advisory's name, and why it does not concern us


def locked() -> list[str]:
    """Return every locked package with its version and where it is wanted, without digests."""
    text = "".join((ROOT / name).read_text("utf-8") for name in ("requirements.lock", "torch.lock"))
    return re.findall(r"^\w[^\\\n]*[^\\\s]", text, re.MULTILINE)


def look_up(packages: list[str]) -> list[dict]:
    """Return what pip-audit finds: of each package its advisories, or why it was skipped; nothing where it does not run."""
    file = ROOT / "_build" / "audit.txt"
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n".join(packages), "utf-8")
    command = [Path(sys.executable).with_name("uv"), "tool", "run", "--quiet", "pip-audit"]
    command += ["--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json", "-r", file]
    printed = subprocess.run(command, capture_output=True, text=True).stdout
    return json.loads(printed)["dependencies"] if printed.startswith("{") else []


def known(packages: list[dict]) -> list[str]:
    """Return a line for each advisory that is not accepted."""
    return [
        f"{package['name']} {package['version']}: {hole['id']}, mended in {', '.join(hole['fix_versions']) or 'no version yet'}"
        for package in packages
        for hole in package.get("vulns", [])
        if hole["id"] not in ACCEPTED
    ]


def main() -> int:
    """Print what is known; the exit status is 1 where something is."""
    if not known(look_up([CONTROL])):
        print(f"audit: no database of advisories answered (nothing is known of {CONTROL}); no package was looked up")
        return 0
    found = look_up(locked())
    skipped = [package["name"] for package in found if "skip_reason" in package]
    faults = known(found)
    print(f"audit: {len(found) - len(skipped)} packages looked up, {len(skipped)} unknown {skipped}, {len(faults)} advisories")
    print(*faults, sep="\n")
    return bool(faults or not found)


if __name__ == "__main__":
    sys.exit(main())
