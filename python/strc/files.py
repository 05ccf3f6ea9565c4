"""Files that belong together."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path


class Named(OSError):
    """An error that names the file that the user asked for."""


@contextlib.contextmanager
def naming(place: Path | str) -> Iterator[None]:
    """Errors that name the file that the user asked for: those of a full disk name none, those of drafts another one."""
    try:
        yield
    except Named:
        raise
    except OSError as fault:
        raise Named(fault.errno, fault.strerror or str(fault), str(place)) from fault


def write_both(one: Path, one_bytes: bytes, other: Path, other_bytes: bytes) -> None:
    """Writes beside the files and renames, so that neither is ever there in part."""
    with naming(one), tempfile.TemporaryDirectory(prefix=".strc-import-", dir=one.parent) as folder:
        drafts = [(Path(folder) / "weights", other, other_bytes), (Path(folder) / "program", one, one_bytes)]
        for draft, place, data in drafts:
            with naming(place):
                draft.write_bytes(data)
        for draft, place, _ in drafts:
            with naming(place):
                draft.replace(place)
