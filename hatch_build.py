"""What a build makes of the README: a package index shows it where no file lies beside it."""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

RELATIVE = re.compile(r"(!?)(\[[^]]*\])\((?!\w+:|#)([^)\s]+)\)")  # a picture or a link within the repository


def with_addresses(readme: str, address: str, tag: str) -> str:
    """Return the README with pictures and links that lead into the repository as it was at that tag."""
    kinds = {"!": f"{address}/raw/{tag}", "": f"{address}/blob/{tag}"}
    return RELATIVE.sub(lambda found: f"{found[1]}{found[2]}({kinds[found[1]]}/{found[3]})", readme)


class ReadmeHook(MetadataHookInterface):
    """Give the package the README with those addresses as its description."""

    def update(self, metadata: dict) -> None:
        """Do so, by the address and the version that pyproject.toml names."""
        readme = (Path(self.root) / "README.md").read_text("utf-8")
        text = with_addresses(readme, metadata["urls"]["Repository"].rstrip("/"), f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
