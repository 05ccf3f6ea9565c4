"""Pools of sessions on a cluster of one machine, whose workers and nodes die. Run with the wheel (STRC_WHEEL)."""

import os
import random
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest
from support import WHEEL

if not WHEEL:
    pytest.skip("the extension is only there in the wheel that make_wheel makes", allow_module_level=True)
ray = pytest.importorskip("ray", reason="Ray is not installed")

from ray.cluster_utils import Cluster  # noqa: E402

import strc  # noqa: E402
from strc.ray import ChunkError, LimitError, Pool, PoolError, SnapshotError, SnapshotWarning  # noqa: E402
from strc.ray.routing import slot_of  # noqa: E402

SMOOTH = """
float->float filter Smooth(float weight = 0.25) {
    float last;
    work pop 1 push 1 { last += weight * (pop() - last); push(last); }
}
"""
CHECKED = "int->int filter Checked { int sum; work pop 1 push 1 { sum += 12 / pop(); push(sum); } }"
PAIRS = """
float->float pipeline Pairs {
    add splitjoin { split roundrobin(1, 1); add Smooth(0.5); add Smooth(0.25); join roundrobin(1, 1); }
}
""" + SMOOTH
NET = """
tensor<float>[2]->tensor<float>[2] filter Net { tensor<float>[2] kept; work pop 1 push 1 { kept = 0.5 * kept + pop(); push(kept); } }
"""


@pytest.fixture(scope="module")
def cluster():
    os.environ["PYTHONPATH"] = WHEEL  # where the processes that the cluster starts find the package
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 4, "include_dashboard": False, "object_store_memory": 100 * 2**20})
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture(scope="module")
def program():
    return strc.compile(SMOOTH, "Smooth", weight=0.5, options={"lanes": True})


@pytest.fixture(scope="module")
def shared(cluster, program):
    """A pool for tests that leave it as it was."""
    with Pool(program, 2, every=0.1, cpus=0.5) as pool:
        yield pool


def numbers(count, seed=1):
    return numpy.random.default_rng(seed).standard_normal(count).astype("f4")


def sessions_of(pool, count, name):
    return {session: numbers(900, seed) for seed, session in enumerate(pool.session(f"{name} {k}") for k in range(count))}


def kill(pool, dice):
    """Ends a worker in one of two ways."""
    if dice.random() < 0.5:
        ray.kill(dice.choice(list(pool.table.workers.values())).actor)
    else:
        os.kill(dice.choice([worker for worker in pool.status() if "pid" in worker])["pid"], signal.SIGKILL)


# ---- the same bits


@pytest.mark.parametrize("workers, every, folder, spares", [(1, 0.05, True, 1), (3, 0.2, False, 0), (2, 0, True, 2), (2, 1000, False, 0)])
def test_bits_are_those_of_one_process(cluster, program, tmp_path, workers, every, folder, spares):
    """Chunks of any length, in any way, while workers are killed."""
    dice = random.Random(workers)
    with Pool(program, workers, every=every, snapshots=tmp_path / "states" if folder else None, spares=spares, cpus=0.5, window=4) as pool:
        data = sessions_of(pool, 7, "s")
        made = {session: [] for session in data}
        at, kills = 0, sorted(dice.sample(range(60), 3))
        for step in range(60):
            count = dice.choice([0, 1, 3, 16, 17])
            chunks = [items[at : at + count] for items in data.values()]
            at += count
            killer = threading.Timer(dice.random() / 100, kill, (pool, dice)) if step in kills else None
            if killer:
                killer.start()
            if dice.random() < 0.5:
                answers = pool.submit_many(list(data), chunks)
            else:
                answers = [session.submit(chunk) for session, chunk in zip(data, chunks)]
            for session, answer in zip(data, answers):
                made[session].append(answer)
            if dice.random() < 0.5:
                for session in data:
                    made[session][-1].result()
            if killer:
                killer.join()
        for session, items in data.items():
            assert (numpy.concatenate([answer.result() for answer in made[session]]) == program(items[:at])).all()
        assert sum(worker["restored"] for worker in pool.status()) > 0 or every == 1000
        assert max(worker.incarnation for worker in pool.table.workers.values()) > 1


def test_sessions_go_on_side_by_side(shared, program):
    data = sessions_of(shared, 40, "side")
    before = shared.status()
    made = shared.process_many(list(data), [items[:64] for items in data.values()])
    assert all((one == program(items[:64])).all() for one, items in zip(made, data.values()))
    after = shared.status()
    chunks, groups = (sum(worker[what] for worker in after) - sum(worker[what] for worker in before) for what in ("chunks", "groups"))
    assert chunks == 40 and groups <= 4


@pytest.mark.parametrize("source, top", [(PAIRS, "Pairs"), (NET, "Net")])
def test_several_ends_and_tensors(cluster, source, top):
    torch = pytest.importorskip("torch")
    program = strc.compile(source, top)
    alone = program.stream()
    with Pool(program, every=0, cpus=0.5) as pool:
        session = pool.session("a")
        for seed in range(4):
            one, other = numbers(12, seed).reshape(-1, 2), numbers(6, 9 + seed)
            chunk = (one,) if top == "Net" else (other, other[::-1])
            wanted, made = alone.process(*chunk), session.process(*chunk)
            assert numpy.array_equal(numpy.array(made), numpy.array(wanted)) and type(made) is type(wanted)
            ray.kill(pool.table.workers[0].actor)
        tensor = torch.from_numpy(one if top == "Net" else other)
        made = session.process(tensor)
        assert isinstance(made, torch.Tensor) and torch.equal(made, alone.process(tensor))
        with pytest.raises((TypeError, ValueError), match="the program takes"):
            session.process(numpy.zeros(3, "i8"))
        assert torch.equal(session.process(tensor), alone.process(tensor)), "a chunk that was refused has no number"


# ---- callers


def test_a_caller_that_retries(cluster, program, tmp_path):
    """A reply that is lost with its worker is given again by the next one, which has it from the snapshot."""
    items, alone = numbers(30), program.stream()
    wanted = [alone.process(items[:10]), alone.process(items[10:20]), alone.process(items[20:])]
    with Pool(program, every=0, snapshots=tmp_path, cpus=0.5) as pool:
        first = pool.session("a")
        first.process(items[:10])
        first.submit(items[10:20]).result()  # an output that the caller is going to lose
        ray.kill(pool.table.workers[0].actor)
        second = pool.session("a")
        assert second.next == 2
        assert (second.process(items[10:20], number=1) == wanted[1]).all()
        assert (second.process(items[10:20], number=1) == wanted[1]).all()
        with pytest.raises(ChunkError, match="chunk 1 of the session 'a' was another one"):
            second.process(items[:10], number=1)
        with pytest.raises(ChunkError, match="chunk 3 does not follow: the session 'a' waits for chunk 2"):
            second.process(items[20:], number=3)
        assert (second.process(items[20:], number=2) == wanted[2]).all()
        with pytest.raises(ChunkError, match="chunk 0 of the session 'a' was processed, and its reply confirmed"):
            second.process(items[:10], number=0)


def test_a_chunk_that_is_asked_for_again_can_still_be_sent_again(cluster, program):
    items, alone = numbers(40), program.stream()
    wanted = [alone.process(items[at : at + 10]) for at in range(0, 40, 10)]
    with Pool(program, every=1000, cpus=0.5) as pool:
        session = pool.session("a")
        assert (session.process(items[:10]) == wanted[0]).all() and (session.process(items[10:20]) == wanted[1]).all()
        assert (session.process(items[10:20], number=1) == wanted[1]).all()
        with pytest.raises(ChunkError, match="chunk 1 of the session 'a' was another one"):
            session.process(items[:10], number=1)
        with pytest.raises(ChunkError, match="chunk 0 of the session 'a' was processed, and its reply confirmed"):
            session.process(items[:10], number=0)
        ray.kill(pool.table.workers[0].actor)
        assert (session.process(items[20:30]) == wanted[2]).all() and (session.process(items[30:]) == wanted[3]).all()


def test_a_pool_in_other_processes(shared, program):
    items = numbers(60)

    @ray.remote(num_cpus=0)
    def part(pool, start):
        session = pool.session("elsewhere")
        assert session.next == start
        return session.process(items[20 * start : 20 * start + 20])

    made = [ray.get(part.remote(shared, start)) for start in range(3)]
    assert (numpy.concatenate(made) == program(items)).all()


def test_a_closed_session_begins_again(shared, program):
    session = shared.session("closed")
    session.process(numbers(20))
    time.sleep(0.3)  # a snapshot is written
    session.close()
    with pytest.raises(PoolError, match="the session 'closed' was closed"):
        session.process(numbers(1))
    again = shared.session("closed")
    assert again.next == 0 and (again.process(numbers(20)) == program(numbers(20))).all()


def test_a_caller_may_change_its_arrays(cluster, program):
    with Pool(program, every=1000, cpus=0.5) as pool:
        session, alone, chunk = pool.session("a"), program.stream(), numpy.ones(5, "f4")
        for _ in range(3):
            made = session.process(chunk)
            assert (made == alone.process(chunk)).all()
            made[:] = 0
            chunk *= 2
        ray.kill(pool.table.workers[0].actor)
        assert (session.process(chunk) == alone.process(chunk)).all()


# ---- what the program refuses


def test_a_fault_ends_its_session_alone(cluster):
    program = strc.compile(CHECKED, "Checked")
    with Pool(program, every=0, cpus=0.5) as pool:
        sessions = [pool.session(name) for name in "abc"]
        first, second, third = pool.submit_many(sessions, [numpy.array(chunk, "i4") for chunk in ([1, 2], [3, 0], [4, 6])])
        assert (first.result().tolist(), third.result().tolist()) == ([12, 18], [3, 5])
        with pytest.raises(strc.RunError) as error:
            second.result()
        assert error.value.code == "division-by-zero" and error.value.line == 1
        ray.kill(pool.table.workers[0].actor)
        assert sessions[0].process(numpy.array([12], "i4")).tolist() == [19]
        with pytest.raises(strc.RunError):
            sessions[1].process(numpy.array([1], "i4"))
        again = pool.session("b")  # a fault is in no snapshot: who sends another chunk in its place goes on
        assert again.process(numpy.array([6], "i4")).tolist() == [2]


def test_programs_that_no_pool_serves(cluster):
    with pytest.raises(TypeError, match="serves programs that take items, and this one has no input"):
        Pool(strc.compile("void->int filter F { int k; work push 1 { push(k++); } }", "F"))
    with pytest.raises(strc.CompileError, match="a library cannot have dynamic rates"):
        Pool(strc.compile("int->int filter F { work pop * push 1 { push(pop()); } }", "F"))
    with pytest.raises(TypeError, match="dynamic rates"):
        Pool(strc.compile("int->int filter F { work pop * push 1 { push(pop()); } }", "F", options={"bound": 16}))
    with pytest.raises(ValueError, match="1 or more"):
        Pool(strc.compile(SMOOTH, "Smooth"), 0)


def test_workers_of_another_program(cluster, tmp_path, monkeypatch):
    source = tmp_path / "program.str"
    source.write_text(SMOOTH)
    program = strc.compile(source, "Smooth")
    program.compiled()
    source.write_text(SMOOTH.replace("pop() - last", "pop() + last"))
    with pytest.raises(PoolError, match="the worker on the node .* has another program or other weights than the pool"):
        Pool(program, cpus=0.5)
    source.write_text("nonsense")
    with pytest.raises(PoolError, match="the worker on the node .* cannot compile the program: CompileError: .*program.str:1:1: error"):
        Pool(program, cpus=0.5)
    monkeypatch.setattr(strc, "__version__", "0.0.7")
    with pytest.raises(PoolError, match="has strc 0.1.0, and the pool is of strc 0.0.7"):
        Pool(program, cpus=0.5)


def test_a_cluster_without_room(cluster, program):
    with pytest.raises(PoolError, match="a worker has not started within 1 s. It takes 64 CPUs of one node; the cluster has 4, of which"):
        Pool(program, cpus=64, patience=1)


# ---- limits


def test_limits(cluster, program):
    with Pool(program, cpus=0.5, longest=10, sessions=2, window=2) as pool:
        one, other = pool.session("a"), pool.session("b")
        with pytest.raises(LimitError, match="worker 0 serves 2 sessions, which is its limit, so 'c' cannot be opened"):
            pool.session("c")
        with pytest.raises(LimitError, match="a chunk of the session 'a' has 11 items, and the pool allows 10"):
            one.process(numbers(11))
        answers = [one.submit(numbers(4)) for _ in range(9)]
        assert len(one.waiting) <= 2
        alone = program.stream()
        assert all((answer.result() == alone.process(numbers(4))).all() for answer in answers)
        other.close()
        pool.session("c").process(numbers(3))
        with pytest.raises(ValueError, match="1 sessions, and 2 chunks"):
            pool.process_many([one], [numbers(1), numbers(1)])


# ---- snapshots


def test_chunks_in_snapshots_are_forgotten_by_their_caller(shared):
    session = shared.session("forgetful")
    for _ in range(40):
        session.process(numbers(3))
        time.sleep(0.02)
    assert len(session.sent) < 30 and session.covered > 0


def test_snapshots_that_cannot_be_written(cluster, program, tmp_path):
    folder, alone = tmp_path / "states", program.stream()
    key = next(key for key in "abcdefgh" if slot_of(key, [0, 1]) == 1)  # one that moves when there is a second worker
    with Pool(program, every=0.05, snapshots=folder, unsaved=5, cpus=0.5) as pool:
        session = pool.session(key)
        folder.write_text("in the way")
        with pytest.warns(SnapshotWarning, match=f"the snapshot of the session '{key}' cannot be written to .*: Not a directory"):
            for step in range(5):
                assert (session.process(numbers(4, step)) == alone.process(numbers(4, step))).all()
                time.sleep(0.1)
        with pytest.raises(SnapshotError, match="Not a directory") as error:
            session.process(numbers(4, 5))
        assert error.value.code == "snapshot-unwritten" and session.next == 5
        with pytest.raises(SnapshotError):
            pool.resize(2)
        assert len(pool.status()) == 1, "nothing has changed"
        answer = session.submit(numbers(4, 5))
        with pytest.raises(SnapshotError):
            answer.result()
        folder.unlink()
        assert (answer.result() == alone.process(numbers(4, 5))).all()
        assert (session.process(numbers(4, 6)) == alone.process(numbers(4, 6))).all()
        ray.kill(pool.table.workers[0].actor)
        assert (session.process(numbers(4, 7)) == alone.process(numbers(4, 7))).all()


def test_a_folder_outlives_its_pool(cluster, program, tmp_path):
    items, other = numbers(40), strc.compile(SMOOTH.replace("pop() - last", "pop() + last"), "Smooth", weight=0.5)
    for part in range(2):
        with Pool(program, snapshots=tmp_path, cpus=0.5) as pool:
            session = pool.session("a")
            assert session.next == part
            made = session.process(items[20 * part : 20 * part + 20])
    assert (made == program(items)[20:]).all()
    with Pool(other, snapshots=tmp_path, cpus=0.5) as pool:
        with pytest.raises(SnapshotError, match="the session 'a' cannot go on from .*2.snapshot: the saved state is that of another program") as error:
            pool.session("a")
        assert error.value.code == "snapshot-other-program"
    (file,) = tmp_path.glob("*/2.snapshot")
    file.write_bytes(file.read_bytes()[:-40])
    with Pool(program, snapshots=tmp_path, cpus=0.5) as pool:
        with pytest.raises(SnapshotError, match="2.snapshot is torn or damaged") as error:
            pool.session("a")
        assert error.value.code == "snapshot-damaged"
        assert pool.session("b").next == 0


def test_a_session_whose_chunks_are_gone(cluster, program, tmp_path):
    with Pool(program, every=0, snapshots=tmp_path, cpus=0.5) as pool:
        session = pool.session("a")
        for _ in range(3):
            session.process(numbers(5))
        worker = pool.table.workers[0].actor
        ray.kill(worker)
        with pytest.raises(ray.exceptions.RayActorError):  # it may still do what it has heard before
            while True:
                ray.get(worker.status.remote())
        for file in tmp_path.glob("*/*"):
            file.unlink()
        with pytest.raises(PoolError, match="the session 'a' is lost: .* its last snapshot is behind 0 chunks, and its caller has those from 3 on"):
            session.process(numbers(5))


# ---- workers that come, go and move


def test_workers_come_and_go(cluster, program):
    with Pool(program, 1, every=1000, cpus=0.5) as pool:
        data, at = sessions_of(pool, 12, "s"), 0
        made = {session: [] for session in data}
        for workers in (1, 3, 2, 1):
            under_way = pool.submit_many(list(data), [items[at : at + 20] for items in data.values()])
            pool.resize(workers)
            assert [worker["slot"] for worker in pool.status()] == list(range(workers))
            for answer in [*under_way, *pool.submit_many(list(data), [items[at + 20 : at + 40] for items in data.values()])]:
                made[answer.session].append(answer.result())
            at += 40
        for session, items in data.items():
            assert (numpy.concatenate(made[session]) == program(items[:at])).all()
        assert max(worker.incarnation for worker in pool.table.workers.values()) == 1, "no worker was replaced"


def test_nodes_join_are_drained_and_die(cluster, program):
    with Pool(program, 4, every=0.1, watch=0.2, cpus=0.5) as pool:
        data, at = sessions_of(pool, 12, "s"), 0
        made = {session: [] for session in data}

        def go_on():
            nonlocal at
            for session, output in zip(data, pool.process_many(list(data), [items[at : at + 20] for items in data.values()])):
                made[session].append(output)
            at += 20

        def nodes():
            return [worker["node"] for worker in pool.status()]

        def wait_for(condition):
            deadline = time.monotonic() + 60
            while not condition():
                assert time.monotonic() < deadline
                go_on()
                time.sleep(0.1)

        (head,) = set(nodes())
        second = cluster.add_node(num_cpus=4, object_store_memory=100 * 2**20)
        wait_for(lambda: nodes().count(head) == 2)
        pool.drain(head)
        go_on()
        assert nodes() == [second.node_id] * 4
        cluster.remove_node(second, allow_graceful=False)
        wait_for(lambda: nodes() == [head] * 4)
        go_on()
        with pytest.raises(PoolError, match=f"no other node to which the workers of the node {head} could move"):
            pool.drain(head)
        for session, items in data.items():
            assert (numpy.concatenate(made[session]) == program(items[:at])).all()


def test_the_supervisor_dies(cluster, program, tmp_path):
    with Pool(program, 2, snapshots=tmp_path, cpus=0.5) as pool:
        session, alone = pool.session("a"), program.stream()
        for _ in range(2):
            assert (session.process(numbers(5)) == alone.process(numbers(5))).all()
            ray.kill(pool.supervisor, no_restart=False)
        assert (session.process(numbers(5)) == alone.process(numbers(5))).all()
        pool.resize(1)
        ray.kill(pool.supervisor, no_restart=False)
        assert len(pool.status()) == 1
        assert (session.process(numbers(5)) == alone.process(numbers(5))).all()


# The package lies on the path of this process alone.
ELSEWHERE = """
import sys
sys.path.insert(0, sys.argv[1])
import ray, strc
from strc.ray import Pool, PoolError
ray.init("local", num_cpus=1, include_dashboard=False, log_to_driver=False, object_store_memory=100 * 2**20)
try:
    Pool(strc.compile("int->int filter F { work pop 1 push 1 { push(pop()); } }", "F"), patience=1000)
except PoolError as error:
    print(error)
"""


def test_nodes_without_the_package(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "RAY_ADDRESS")}
    command = [sys.executable, "-c", ELSEWHERE, WHEEL]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert done.stdout.startswith("the pool's supervisor cannot be started; the Python of the cluster's nodes has to find the package strc"), (
        done.stdout + done.stderr
    )


# ---- data sets


def test_programs_over_data_sets(cluster, program):
    data = pytest.importorskip("ray.data", reason="Ray Data is not installed")
    strc_map = strc.ray.map
    rows = [{"name": str(k), "sound": numbers(5 + k, k)} for k in range(6)]
    found = {row["name"]: row for row in strc_map(data.from_items(rows), program, input="sound", output="smooth").take_all()}
    for row in rows:
        assert (found[row["name"]]["smooth"] == program(row["sound"])).all() and (found[row["name"]]["sound"] == row["sound"]).all()
    with pytest.raises(ValueError, match="the data set has no column 'item'; there are name, sound"):
        strc_map(data.from_items(rows), program)
