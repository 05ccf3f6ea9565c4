"""Files that belong together."""

from __future__ import annotations

import tempfile
from pathlib import Path


def write_both(one: Path, one_bytes: bytes, other: Path, other_bytes: bytes) -> None:
    """Writes beside the files and renames, so that neither is ever there in part."""
    with tempfile.TemporaryDirectory(prefix=".strc-import-", dir=one.parent) as folder:
        drafts = [(Path(folder) / "weights", other, other_bytes), (Path(folder) / "program", one, one_bytes)]
        for draft, _, data in drafts:
            draft.write_bytes(data)
        for draft, place, _ in drafts:
            draft.replace(place)
