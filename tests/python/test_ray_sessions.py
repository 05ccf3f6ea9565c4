"""Sessions and snapshots of pools, without a cluster: numbers of chunks, replies, routing, and snapshots on a disk. Run with the wheel (STRC_WHEEL)."""

import asyncio
import os
import resource
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest
from support import WHEEL

if not WHEEL:
    pytest.skip("the extension is only there in the wheel that make_wheel makes", allow_module_level=True)
pytest.importorskip("ray", reason="Ray is not installed")

from ray.exceptions import RayError

import strc
from strc.ray import ChunkError, LimitError, SnapshotError
from strc.ray.hosted import HostedSession
from strc.ray.messages import Behind, Done, Limits, Moved, Refused, Request
from strc.ray.routing import slot_of
from strc.ray.snapshot import FRONT, MAGIC, decode
from strc.ray.stores import FolderStore, ObjectStore
from strc.ray.worker import Assignment, SessionWorker

SUMS = "int->int filter Sums { int sum; work pop 1 push 1 { sum += pop(); push(sum); } }"
LIMITS = Limits(window=3, unsaved=4, longest=None, sessions=None)
PROGRAM = strc.compile(SUMS, "Sums")


def request(number, *values, confirmed=0, covered=0, key="a"):
    return Request(key, number, (numpy.array(values, "i4"),), False, confirmed, covered, False)


def session(key="a"):
    return HostedSession(key, PROGRAM.stream(), LIMITS)


def give(hosted, asked):
    """The reply to a request, as a worker finds it."""
    reply = hosted.reply_to(asked)
    return hosted.keep(asked, hosted.stream.process(*asked.chunk)) if reply is None else reply


def output(reply):
    assert isinstance(reply, Done), reply
    return reply.output.tolist()


def refused(reply):
    assert isinstance(reply, Refused), reply
    return reply.error


# ---- numbers


def test_a_duplicate_gets_the_same_reply():
    hosted = session()
    assert output(give(hosted, request(0, 1, 2))) == [1, 3]
    assert output(give(hosted, request(0, 1, 2))) == [1, 3]
    assert output(give(hosted, request(1, 4))) == [7]


def test_another_chunk_under_an_old_number_is_refused():
    hosted = session()
    give(hosted, request(0, 1, 2))
    error = refused(give(hosted, request(0, 1, 3)))
    assert isinstance(error, ChunkError) and "chunk 0 of the session 'a' was another one" in str(error)
    assert output(give(hosted, request(1, 4))) == [7]


def test_a_chunk_that_does_not_follow():
    hosted = session()
    give(hosted, request(0, 1))
    assert give(hosted, request(3, 1)) == Behind(1)


def test_confirmed_replies_are_forgotten():
    hosted = session()
    give(hosted, request(0, 1))
    give(hosted, request(1, 2, confirmed=1))
    assert list(hosted.replies) == [1]
    assert "chunk 0 of the session 'a' was processed, and its reply confirmed; the next one is 2" in str(refused(give(hosted, request(0, 1))))


def test_more_replies_than_the_window():
    hosted = session()
    for number in range(3):
        give(hosted, request(number, 1))
    error = refused(give(hosted, request(3, 1)))
    assert isinstance(error, LimitError) and "3 chunks of the session 'a' have replies that its caller has not confirmed" in str(error)
    assert output(give(hosted, request(3, 1, confirmed=1))) == [4]


# ---- snapshots


def test_a_session_goes_on_from_its_snapshot():
    first, second = session(), session()
    give(first, request(0, 1))
    give(first, request(1, 2))
    second.restore(first.snapshot().encode(), "it")
    assert second.next == second.covered == 2 and not second.is_unsaved
    assert output(give(second, request(1, 2))) == [3], "replies that may not have arrived are in the snapshot"
    assert output(give(second, request(2, 4, confirmed=2))) == [7]


@pytest.mark.parametrize("made", [
    None, numpy.arange(3.0), numpy.array([(1, 2.5)], [("a", "i4"), ("b", "f8")]), numpy.zeros((0, 2), "c8"),
    (numpy.ones(2, "f4"), numpy.zeros((2, 3), "?")), [numpy.ones((1, 2), "f4"), numpy.ones(3, "i8")],
])
def test_replies_in_snapshots(made):
    hosted = session()
    hosted.keep(request(0, 1), made)
    found = decode(hosted.snapshot().encode(), "a", "it").replies[0].output
    several = [found, made] if isinstance(made, (tuple, list)) else [[found], [made]]
    assert type(found) is type(made)
    for one, other in zip(*several):
        assert one is None and other is None or one.dtype == other.dtype and one.shape == other.shape and (one == other).all()


def spoilt(data, key="a"):
    hosted = session(key)
    with pytest.raises(SnapshotError) as error:
        hosted.restore(data, "FILE")
    assert hosted.next == 0
    return error.value


def test_snapshots_that_are_none():
    hosted = session()
    give(hosted, request(0, 1))
    data = hosted.snapshot().encode()
    for length in [0, 7, 20, len(data) // 2, len(data) - 1]:
        assert spoilt(data[:length]).code == "snapshot-damaged"
    for place in [8 + 5, 40, len(data) // 2, len(data) - 1]:
        torn = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        error = spoilt(torn)
        assert error.code == "snapshot-damaged" and "FILE is torn or damaged" in str(error), place
    newer = spoilt(FRONT.pack(MAGIC, 2, 5) + data[FRONT.size :])
    assert newer.code == "snapshot-newer" and "its layout is 2, and 1 is known here" in str(newer)
    other = spoilt(data, "b")
    assert other.code == "snapshot-other-session" and "FILE is a snapshot of the session 'a', and not of 'b'" in str(other)


def test_a_snapshot_of_another_program():
    other = HostedSession("a", strc.compile(SUMS.replace("sum += pop()", "sum += 2 * pop()"), "Sums").stream(), LIMITS)
    give(other, request(0, 1))
    error = spoilt(other.snapshot().encode())
    assert error.code == "snapshot-other-program" and "the session 'a' cannot go on from FILE: the saved state is that of another program" in str(error)


# ---- folders


def test_a_folder_keeps_the_last_one(tmp_path):
    store = FolderStore(tmp_path / "states")
    assert asyncio.run(store.read("a")) is None
    for number in (1, 9, 10):
        asyncio.run(store.write("a", number, b"state %d" % number))
    asyncio.run(store.write("a", 5, b"old news"))  # of a worker that is thought dead
    assert asyncio.run(store.read("a"))[0] == b"state 10"
    asyncio.run(store.write("a", 11, b"state 11"))
    assert [file.name for file in store.place("a").iterdir()] == ["11.snapshot"]
    asyncio.run(store.remove("a"))
    assert asyncio.run(store.read("a")) is None and not store.place("a").exists()


@pytest.mark.parametrize("key", ["a/b", "..", ".", "", "ü ☃", "a\0b", "x" * 5000, "y" * 5000])
def test_every_key_has_a_place_of_its_own(tmp_path, key):
    store = FolderStore(tmp_path)
    store.write_now(key, 1, key.encode())
    assert store.read_now(key)[0] == key.encode() and store.place(key).parent == tmp_path


def test_a_snapshot_is_never_half_written(tmp_path, monkeypatch):
    store = FolderStore(tmp_path)
    store.write_now("a", 1, b"one")
    for name in ("fsync", "rename"):
        with monkeypatch.context() as broken:
            broken.setattr(os, name, lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
            with pytest.raises(SnapshotError, match="the snapshot of the session 'a' cannot be written to .*2.snapshot: No space left on device") as error:
                store.write_now("a", 2, b"two")
        assert error.value.code == "snapshot-unwritten"
        assert [file.name for file in store.place("a").iterdir()] == ["1.snapshot"]
        assert store.read_now("a")[0] == b"one"


def test_a_file_that_cannot_grow(tmp_path):
    store, before = FolderStore(tmp_path), resource.getrlimit(resource.RLIMIT_FSIZE)
    store.write_now("a", 1, b"one")
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(SnapshotError, match="2.snapshot: File too large"):
            store.write_now("a", 2, bytes(200_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [file.name for file in store.place("a").iterdir()] == ["1.snapshot"]


def test_what_a_killed_writer_leaves(tmp_path):
    store = FolderStore(tmp_path)
    store.write_now("a", 1, b"one")
    (store.place("a") / "2.4711.tmp").write_bytes(b"tw")
    assert store.read_now("a")[0] == b"one"
    store.write_now("a", 2, b"two")
    assert [file.name for file in store.place("a").iterdir()] == ["2.snapshot"]


def test_other_files_of_the_folder_stay(tmp_path):
    """Such as `.nfs0001`, which NFS has of a file that is removed while another machine reads it."""
    store, names = FolderStore(tmp_path), [".nfs0001", "notes", "x.snapshot"]
    store.write_now("a", 1, b"one")
    for name in names:
        (store.place("a") / name).write_bytes(b"")
    store.write_now("a", 2, b"two")
    assert store.read_now("a")[0] == b"two"
    assert sorted(file.name for file in store.place("a").iterdir()) == sorted([*names, "2.snapshot"])


def test_old_ones_that_cannot_be_removed(tmp_path, monkeypatch):
    store = FolderStore(tmp_path)
    store.write_now("a", 1, b"one")
    with monkeypatch.context() as broken:
        broken.setattr(Path, "unlink", lambda *_, **__: (_ for _ in ()).throw(OSError(5, "Input/output error")))
        store.write_now("a", 2, b"two")
    assert store.read_now("a")[0] == b"two"
    store.write_now("a", 3, b"three")
    assert [file.name for file in store.place("a").iterdir()] == ["3.snapshot"]


def test_a_snapshot_that_goes_while_it_is_read(tmp_path, monkeypatch):
    """A newer one has taken its place."""
    store, read = FolderStore(tmp_path), Path.read_bytes
    store.write_now("a", 1, b"one")

    def read_late(file):
        if file.name == "1.snapshot":
            store.write_now("a", 2, b"two")
        return read(file)

    monkeypatch.setattr(Path, "read_bytes", read_late)
    assert store.read_now("a") == (b"two", str(store.place("a") / "2.snapshot"))


# ---- workers


def worker_on(folder):
    made = SessionWorker()
    made.assignment = Assignment(b"", "", b"", FolderStore(folder), LIMITS, every=1000)
    made.store, made.limits, made.compiled = made.assignment.store, LIMITS, PROGRAM.compiled()
    return made


async def ask(worker, *requests):
    """Its replies, while it runs."""
    running = asyncio.create_task(worker.process_for_ever())
    replies = await worker.work(requests)
    running.cancel()
    return replies


def test_a_worker_that_is_thought_dead_writes_another_snapshot(tmp_path):
    async def story():
        old, new = worker_on(tmp_path), worker_on(tmp_path)
        await old.serve(0, [0])
        await ask(old, request(0, 1), request(1, 2))
        assert await old.save(old.hosted["a"]) is None
        await new.serve(0, [0])
        assert (await new.open("a")).next == 2
        (reply,) = await ask(old, request(2, 4, confirmed=2)._replace(must_save=True))
        assert reply.covered == 3, "the caller forgets the chunks before"
        (reply,) = await ask(new, request(3, 8, confirmed=3, covered=3))
        assert output(reply) == [15]

    asyncio.run(story())


def test_a_worker_refuses_sessions_of_others(tmp_path):
    async def story():
        worker = worker_on(tmp_path)
        await worker.serve(0, [0])
        assert output((await ask(worker, request(0, 1)))[0]) == [1]
        assert await worker.hand_over([1]) is None
        assert await ask(worker, request(1, 2)) == [Moved()] and await worker.open("a") == Moved() and not worker.hosted
        assert decode((await worker.store.read("a"))[0], "a", "it").next == 1

    asyncio.run(story())


def test_a_hand_over_that_cannot_write(tmp_path):
    async def story():
        worker = worker_on(tmp_path / "states")
        await worker.serve(0, [0])
        await ask(worker, request(0, 1))
        (tmp_path / "states").write_text("in the way")
        assert (await worker.hand_over([1])).code == "snapshot-unwritten"
        assert output((await ask(worker, request(1, 2)))[0]) == [3], "nothing has changed"

    asyncio.run(story())


def test_a_snapshot_that_cannot_be_made(tmp_path, monkeypatch):
    async def story():
        worker = worker_on(tmp_path)
        await worker.serve(0, [0])
        monkeypatch.setattr(HostedSession, "snapshot", lambda self: 1 // 0)
        (reply,) = await ask(worker, request(0, 1)._replace(must_save=True))
        assert "there can be made no snapshot of the session 'a': ZeroDivisionError" in str(refused(reply))

    asyncio.run(story())


# ---- the object store


class Actor:
    """Keeps snapshots as the actor of a cluster does, and counts the calls."""

    def __init__(self):
        self.kept, self.calls, self.is_dead = {}, [], False
        self.write, self.read = SimpleNamespace(remote=self.write_all), SimpleNamespace(remote=self.read_all)

    async def write_all(self, snapshots):
        await self.called(snapshots)
        self.kept.update({key: data for key, _, data in snapshots})
        return [None] * len(snapshots)

    async def read_all(self, keys):
        await self.called(keys)
        return [self.kept.get(key) for key in keys]

    async def called(self, items):
        self.calls.append(len(items))
        await asyncio.sleep(0.01)
        if self.is_dead:
            raise RayError("it is gone")


def test_snapshots_go_together():
    """A worker that takes the place of another reads those of all its sessions, which takes one call and not hundreds."""

    async def story():
        actor = Actor()
        store = ObjectStore(actor)
        await asyncio.gather(*(store.write(f"{k}", 1, b"%d" % k) for k in range(300)))
        found = await asyncio.gather(*(store.read(f"{k}") for k in range(301)))
        assert [data and data[0] for data in found] == [*(b"%d" % k for k in range(300)), None]
        assert actor.calls == [300, 301]
        first = asyncio.create_task(store.read("1"))
        await asyncio.sleep(0.005)
        assert [data[0] for data in await asyncio.gather(first, store.read("2"), store.read("3"))] == [b"1", b"2", b"3"]
        assert actor.calls[2:] == [1, 2], "what comes while a call is under way goes with the next one"
        actor.is_dead = True
        results = await asyncio.gather(store.write("1", 2, b""), store.read("2"), store.read("3"), return_exceptions=True)
        assert [error.code for error in results] == ["snapshot-unwritten", "snapshot-unread", "snapshot-unread"]

    asyncio.run(story())


# ---- routing


def test_a_further_slot_takes_sessions_and_moves_none_between_the_others():
    keys = [f"session {k}" for k in range(600)]
    before = {key: slot_of(key, range(3)) for key in keys}
    after = {key: slot_of(key, [2, 3, 0, 1]) for key in keys}
    assert all(after[key] in (before[key], 3) for key in keys)
    assert all(100 < list(after.values()).count(slot) < 200 for slot in range(4))
