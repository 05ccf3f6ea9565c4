"""Runs one command with limits on its time and output."""

import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass

MAX_BYTES = 16 << 20
SECONDS = 300.0 * float(os.environ.get("STRC_TEST_TIME_FACTOR", "1"))


@dataclass
class Outcome:
    out: bytes
    err: str
    status: int  # as in subprocess: negative for a signal
    fault: str  # why it had to be killed, or ""
    interrupted: bool  # a SIGINT was sent


def run(command, folder, interrupt_after=None):
    """Runs `command` in `folder`. With `interrupt_after`, sends SIGINT once so many lines have come.
    A program that then goes on for longer than the limit is killed: that is its fault."""
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    received = {process.stdout: bytearray(), process.stderr: bytearray()}
    out = received[process.stdout]
    deadline = time.monotonic() + SECONDS
    fault, interrupted, lines = "", False, 0
    with selectors.DefaultSelector() as selector:
        for pipe in received:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            events = selector.select(max(0.0, deadline - time.monotonic()))
            if not events:
                fault = f"still running after {SECONDS:g} s"
                break
            for key, _ in events:
                chunk = os.read(key.fd, 1 << 16)
                if not chunk:
                    selector.unregister(key.fileobj)
                elif not interrupted or key.fileobj is process.stderr:
                    received[key.fileobj] += chunk  # later output is drained, not kept
                    lines += chunk.count(b"\n") if key.fileobj is process.stdout else 0
            if any(len(data) > MAX_BYTES for data in received.values()):
                fault = f"wrote more than {MAX_BYTES} bytes"
                break
            if interrupt_after is not None and not interrupted and lines >= interrupt_after:
                process.send_signal(signal.SIGINT)
                interrupted = True
    if not fault:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            fault = f"closed its output, but still running after {SECONDS:g} s"
    if fault:
        process.kill()
        process.wait()
    process.stdout.close()
    process.stderr.close()
    err = received[process.stderr].decode("utf-8", "replace")
    return Outcome(bytes(out), err, process.returncode, fault, interrupted)
