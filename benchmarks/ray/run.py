#!/usr/bin/env python3
"""How many sessions a core of a pool serves (docs/more-than-one-machine.md): each session brings a frame of items whenever one is due, and 99 of 100
outputs have to be there before the next frame is due. The number of sessions grows until they are not; then it shrinks until they are there although
a worker is killed every so many seconds. All outputs of some sessions are compared with those of one process.

    benchmarks/ray/run.py [--workers N] [--callers N] [--frame MS] [--search S] [--seconds S] [--kill-every S] [--spares N] [--snapshots DIR] [NAME...]

Runs in an environment that has the wheel (docs/building.md#packages) and Ray. Callers take processors, too: with fewer than workers and
callers together the figure is lower.
"""

import argparse
import os
import random
import signal
import threading
import time
from pathlib import Path

import numpy
import ray

import strc
import strc.ray

HERE = Path(__file__).resolve().parent
PROGRAMS = {"biquads": "Biquads", "fir": "Fir", "gru": "Gru"}
CHECKED = 2  # sessions of each caller whose outputs are compared


class Caller:
    """Brings the frames of many sessions, in one call to each worker for all that are due."""

    def __init__(self, pool, name, count, items):
        self.pool = pool
        self.sessions = [pool.session(f"{name} {k}") for k in range(count)]
        self.items = numpy.random.default_rng(count).standard_normal((64, count, items)).astype("f4")

    def run(self, frame, seconds, begin):
        """Seconds from the moment at which a frame was due to its output, of each; and the outputs of some sessions."""
        late, outputs = [], [[] for _ in self.sessions[:CHECKED]]
        frames = round(seconds / frame)
        for step in range(frames):
            due = begin + step * frame
            time.sleep(max(0.0, due - time.time()))
            made = self.pool.process_many(self.sessions, list(self.items[step % 64]))
            late += [time.time() - due] * len(made)
            for kept, output in zip(outputs, made):
                kept.append(output)
        return late, [numpy.concatenate(kept) for kept in outputs], frames

    def given(self, k, frames):
        return numpy.concatenate([self.items[step % 64][k] for step in range(frames)])

    def close(self):
        for session in self.sessions:
            session.close()


def kill_now_and_then(pool, every, stop):
    """Ends a worker's process, as the system does."""
    while not stop.wait(every):
        os.kill(random.choice([worker for worker in pool.status() if "pid" in worker])["pid"], signal.SIGKILL)


def attempt(pool, program, options, count, kill_every):
    """(99th percentile, largest, share that was late) of the times, in frames."""
    frame = options.frame / 1000
    seconds = options.seconds if kill_every else options.search
    each = -(-count // options.callers)
    callers = [ray.remote(Caller).options(num_cpus=0).remote(pool, f"{count} {kill_every} {k}", each, round(options.rate * frame)) for k in range(options.callers)]
    ray.get([caller.given.remote(0, 1) for caller in callers])
    stop = threading.Event()
    killer = threading.Thread(target=kill_now_and_then, args=(pool, kill_every, stop)) if kill_every else None
    if killer:
        killer.start()
    found = ray.get([caller.run.remote(frame, seconds, time.time() + 0.5) for caller in callers])
    stop.set()
    if killer:
        killer.join()
    for caller, (_, outputs, frames) in zip(callers, found):
        for k, output in enumerate(outputs):
            assert (output == program(ray.get(caller.given.remote(k, frames)))).all(), "the outputs differ from those of one process"
    ray.get([caller.close.remote() for caller in callers])
    times = numpy.concatenate([late for late, _, _ in found]) / frame
    return numpy.percentile(times, 99), times.max(), (times > 1).mean()


def measure(name, options):
    program = strc.compile(HERE.parent / f"sessions/{name}.str", PROGRAMS[name], options={"lanes": True})
    with strc.ray.Pool(program, options.workers, spares=options.spares, snapshots=options.snapshots, every=options.every, window=1) as pool:
        count, best = options.first, 0
        while try_out(name, pool, program, options, count, 0):
            best, count = count, count * 3 // 2
        count = best
        while count and options.kill_every and not try_out(name, pool, program, options, count, options.kill_every):
            count = count * 2 // 3 if count > 1 else 0


def try_out(name, pool, program, options, count, kill_every):
    """Are 99 of 100 outputs there within a frame?"""
    p99, most, late = attempt(pool, program, options, count, kill_every)
    show(name, count, options, f"{kill_every:g} s" if kill_every else "no", p99, most, late)
    return p99 <= 1


def show(name, count, options, kills, p99, most, late):
    print(f"{name:10} {count:8} {count / options.workers:10.0f} {kills:>6} {p99 * options.frame:9.1f} {most * options.frame:9.1f} {100 * late:8.2f} %", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=1, help="actors, each of which takes a core")
    parser.add_argument("--callers", type=int, default=1, help="processes that bring frames")
    parser.add_argument("--spares", type=int, default=1, help="workers that are ready to take the place of another")
    parser.add_argument("--rate", type=float, default=16000, help="items a second that a session brings")
    parser.add_argument("--frame", type=float, default=20, help="milliseconds from frame to frame of a session")
    parser.add_argument("--search", type=float, default=8, help="seconds of each attempt without kills")
    parser.add_argument("--seconds", type=float, default=45, help="of each attempt with kills")
    parser.add_argument("--kill-every", type=float, default=20, help="seconds from kill to kill; 0: none")
    parser.add_argument("--every", type=float, default=0.25, help="seconds from snapshot to snapshot of a session, whose chunks are done again behind a death")
    parser.add_argument("--snapshots", help="the folder for snapshots; without it they are in the object store")
    parser.add_argument("--first", type=int, default=32, help="sessions to begin with")
    parser.add_argument("names", nargs="*", default=list(PROGRAMS))
    options = parser.parse_args()
    ray.init(address="local", num_cpus=options.workers + options.spares, include_dashboard=False, log_to_driver=False)
    print(f"{'program':10} {'sessions':>8} {'for a core':>10} {'kills':>6} {'p99 (ms)':>9} {'most (ms)':>9} {'late':>10}")
    for name in options.names:
        measure(name, options)
    ray.shutdown()


if __name__ == "__main__":
    main()
