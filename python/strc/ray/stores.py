"""Where snapshots are kept: a folder, or Ray's object store. Both keep the one with the highest number of each session."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import urllib.parse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import ray
from ray.exceptions import RayError

from .errors import SnapshotError


class SnapshotStore(Protocol):
    async def write(self, key: str, number: int, data: bytes) -> None:
        """Returns when the snapshot is safe. Raises SnapshotError."""

    async def read(self, key: str) -> tuple[bytes, str] | None:
        """The last snapshot and what to call it in errors. Raises SnapshotError."""

    async def remove(self, key: str) -> None:
        """Forgets the session. Raises SnapshotError."""


class FolderStore:
    """A folder for each session, in which the name of a file is its number."""

    def __init__(self, folder: Path):
        self.folder = folder

    def place(self, key: str) -> Path:
        name = urllib.parse.quote(key, safe="")
        return self.folder / ("=" + name if len(name) < 200 else "#" + hashlib.sha256(key.encode()).hexdigest())

    async def write(self, key: str, number: int, data: bytes) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self.write_now, key, number, data)

    async def read(self, key: str) -> tuple[bytes, str] | None:
        return await asyncio.get_running_loop().run_in_executor(None, self.read_now, key)

    async def remove(self, key: str) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self.remove_now, key)

    def write_now(self, key: str, number: int, data: bytes) -> None:
        place = self.place(key)
        file, beside = place / f"{number}.snapshot", place / f"{number}.{os.getpid()}.tmp"
        try:
            place.mkdir(parents=True, exist_ok=True)
            with open(beside, "wb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            os.rename(beside, file)
            sync_folder(place)
        except OSError as error:
            with contextlib.suppress(OSError):
                beside.unlink(missing_ok=True)
            raise SnapshotError("snapshot-unwritten", f"the snapshot of the session '{key}' cannot be written to {file}: {error.strerror}") from None
        with contextlib.suppress(OSError):  # the snapshot is safe; what cannot be removed now is removed behind the next one
            remove_old(place, number)

    def read_now(self, key: str) -> tuple[bytes, str] | None:
        place, before = self.place(key), None
        while found := snapshots_in(place):
            _, last = max(found)
            try:
                return last.read_bytes(), str(last)
            except OSError as error:
                if not isinstance(error, FileNotFoundError) or last == before:
                    raise SnapshotError("snapshot-unread", f"the snapshot {last} cannot be read: {error.strerror}") from None
                before = last  # a worker that is thought dead may have written a newer one meanwhile
        return None

    def remove_now(self, key: str) -> None:
        place = self.place(key)
        try:
            # The last one goes last: what is left by a crash in between is the session as it was.
            for file in sorted(place.glob("*"), key=lambda file: (file.suffix == ".snapshot", len(file.stem), file.stem)):
                file.unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # a folder without snapshots says nothing
                place.rmdir()
        except OSError as error:
            raise SnapshotError("snapshot-unwritten", f"the snapshots of the session '{key}' in {place} cannot be removed: {error.strerror}") from None


def snapshots_in(place: Path) -> list[tuple[int, Path]]:
    """Numbers and files; other files are there, too, such as what a common file system keeps of files that were removed."""
    return [(int(file.stem), file) for file in place.glob("*.snapshot") if file.stem.isdecimal()]


def remove_old(place: Path, number: int) -> None:
    """Snapshots below that, and half ones."""
    for old in [file for each, file in snapshots_in(place) if each < number] + list(place.glob("*.tmp")):
        old.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Makes the names in it safe."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Keeper:
    """An actor that owns the snapshots in the object store, so that they outlive the workers that made them."""

    def __init__(self) -> None:
        self.kept: dict[str, tuple[int, Any]] = {}

    def write(self, snapshots: Sequence[tuple[str, int, bytes]]) -> list[None]:
        for key, number, data in snapshots:
            if number >= self.kept.get(key, (0, None))[0]:
                self.kept[key] = (number, ray.put(data))
        return [None] * len(snapshots)

    def read(self, keys: Sequence[str]) -> list[bytes | None]:
        found = [key for key in keys if key in self.kept]
        data = dict(zip(found, ray.get([self.kept[key][1] for key in found])))
        return [data.get(key) for key in keys]

    def remove(self, key: str) -> None:
        self.kept.pop(key, None)


class Gathering:
    """Calls with one item each, of which those that come while one is under way go together in the next one: a worker that takes the place of another
    opens hundreds of sessions at once."""

    def __init__(self, actor: Any, method: str):
        self.actor, self.method = actor, method
        self.waiting: list[tuple[Any, asyncio.Future[Any]]] = []
        self.sending: asyncio.Task[None] | None = None

    async def call(self, item: Any) -> Any:
        """Raises RayError."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.waiting.append((item, future))
        if self.sending is None:
            self.sending = asyncio.create_task(self.send_all())
        return await future

    async def send_all(self) -> None:
        while self.waiting:
            await asyncio.sleep(0)  # who asks at the same time goes along
            batch, self.waiting = self.waiting, []
            try:
                results = await getattr(self.actor, self.method).remote([item for item, _ in batch])
            except Exception as error:  # each of them is told
                results = [error] * len(batch)
            for (_, future), result in zip(batch, results):
                if future.done():
                    continue
                if isinstance(result, Exception):
                    future.set_exception(result)
                else:
                    future.set_result(result)
        self.sending = None


class ObjectStore:
    """Snapshots in Ray's object store, on the node of the pool's owner."""

    def __init__(self, keeper: Any):
        self.keeper = keeper
        self.writing, self.reading = Gathering(keeper, "write"), Gathering(keeper, "read")

    async def write(self, key: str, number: int, data: bytes) -> None:
        try:
            await self.writing.call((key, number, data))
        except RayError as error:
            raise SnapshotError("snapshot-unwritten", f"the snapshot of the session '{key}' cannot be put into the object store: {error}") from None

    async def read(self, key: str) -> tuple[bytes, str] | None:
        try:
            found = await self.reading.call(key)
        except RayError as error:
            raise SnapshotError("snapshot-unread", f"the snapshot of the session '{key}' cannot be had from the object store: {error}") from None
        return None if found is None else (found, f"the snapshot of '{key}' in the object store")

    async def remove(self, key: str) -> None:
        try:
            await self.keeper.remove.remote(key)
        except RayError as error:
            raise SnapshotError("snapshot-unwritten", f"the snapshot of the session '{key}' cannot be removed from the object store: {error}") from None
