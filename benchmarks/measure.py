"""Running a command and what it took; shared by the benchmarks.

measure.py COMMAND... runs one, and prints the bytes of memory that it took at most.
"""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass


@dataclass
class Run:
    out: str
    err: str
    wall: float  # seconds
    processor: float  # seconds, user and system, of the child and its children
    peak: int  # bytes of memory at most, or what this process has: the system begins to count before the command does


def run(command, limit=None, folder=None):
    """Runs a command that has to end well, within `limit` seconds if given, in a folder."""
    words = [str(word) for word in command]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.monotonic()
        child = subprocess.Popen(words, stdout=out, stderr=err, stdin=subprocess.DEVNULL, cwd=folder)
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


def peak(command, folder=None):
    """Bytes of memory that a command takes at most, however large this process is."""
    return int(run([sys.executable, "-S", __file__, *command], folder=folder).out)


if __name__ == "__main__":
    print(run(sys.argv[1:]).peak)
