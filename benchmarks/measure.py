"""Running a command and what it took; shared by the benchmarks."""

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass


@dataclass
class Run:
    out: str
    err: str
    wall: float  # seconds
    processor: float  # seconds, user and system, of the child and its children
    peak: int  # bytes of memory at most


def run(command, limit=None):
    """Runs a command that has to end well, within `limit` seconds if given."""
    words = [str(word) for word in command]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.monotonic()
        child = subprocess.Popen(words, stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        killed = False
        if limit is not None:
            killed = wait_or_kill(child.pid, limit)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        texts = out.read(), err.read()
    if killed:
        raise RuntimeError(f"{' '.join(words)}: still running after {limit:g} s")
    if child.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: status {child.returncode}\n{texts[1][:2000]}")
    return Run(*texts, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def wait_or_kill(pid, limit):
    """Waits until the child has ended, without collecting it; whether it had to be killed."""
    deadline = time.monotonic() + limit
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() > deadline:
            os.kill(pid, 9)
            return True
        time.sleep(0.005)
    return False
