"""Runs a streamed program by `strc run`, with files or pipes at its ends."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy

from ..errors import ImportFailure
from .streamed import Streamed

SECONDS = 600


def compiler() -> str:
    """The strc that runs the program: $STRC, or the one on the path."""
    found = shutil.which(os.environ.get("STRC", "strc"))
    if not found:
        raise ImportFailure("a streamed program is run before it is written, which takes `strc` on the path; $STRC can name it")
    return os.path.abspath(found)


def formatted(text: str) -> str:
    """A program as `strc fmt` writes it."""
    done = subprocess.run([compiler(), "fmt", "-"], input=text, capture_output=True, text=True, check=False, timeout=SECONDS)
    if done.returncode != 0:
        raise ImportFailure(f"the streamed program cannot be read, which is an error of the importer:\n{done.stderr.strip()}")
    return done.stdout


def fed(path: Path, frames: numpy.ndarray, chunk: int) -> None:
    """Writes so many frames at a time to a pipe."""
    try:
        with open(path, "wb", buffering=0) as pipe:
            for at in range(0, len(frames), chunk):
                pipe.write(frames[at : at + chunk].tobytes())
    except BrokenPipeError:
        pass  # who reads has ended, and says why


class Program:
    """A streamed program with its weights, in a folder."""

    def __init__(self, folder: str, streamed: Streamed, text: bytes, weights: bytes):
        self.folder, self.streamed, self.strc = Path(folder), streamed, compiler()
        declared = re.search(rb"^float->float \w+ (\w+)", text, re.M)
        assert declared, text
        self.name = declared[1].decode()
        self.inputs = [f"in{k + 1}.raw" for k in range(len(streamed.inputs))]
        self.outputs = [f"out{k + 1}.raw" for k in range(len(streamed.results))]
        (self.folder / "model.str").write_bytes(text)
        (self.folder / "model.safetensors").write_bytes(weights)

    def run(self, inputs: Sequence[numpy.ndarray], chunk: int | None = None) -> list[numpy.ndarray]:
        """What the stream gives for these frames of its inputs in whole steady states: a live stream has no end to be drained.

        `chunk`: pipes give so many frames at a time, and there is one steady state after the other; None: all of them lie in files, and the program
        does many steady states at a time.
        """
        way = ["--disable-pass=scaling"] if chunk else []
        threads = []
        for name, frames in zip(self.inputs, inputs):
            path = self.folder / name
            path.unlink(missing_ok=True)
            if chunk:
                os.mkfifo(path)
                threads.append(threading.Thread(target=fed, args=(path, frames, chunk), daemon=True))
            else:
                path.write_bytes(frames.tobytes())
        for thread in threads:
            thread.start()
        files = [word for option, names in (("--in", self.inputs), ("--out", self.outputs)) for name in names for word in (option, name)]
        words = [self.strc, "run", "-w", "--tail=drop", *way, "--top", self.name, *files, "model.str"]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, check=False, timeout=SECONDS)
        self.release(threads)
        if done.returncode != 0:
            told = (done.stdout + done.stderr).decode("utf-8", errors="replace").strip()
            raise ImportFailure(f"the streamed program does not run, which is an error of the importer:\n{told}")
        return [numpy.fromfile(self.folder / name, numpy.float32) for name in self.outputs]

    def release(self, threads: Sequence[threading.Thread]) -> None:
        """Lets those end who still wait for a reader."""
        for name, thread in zip(self.inputs, threads):
            if thread.is_alive():
                os.close(os.open(self.folder / name, os.O_RDONLY | os.O_NONBLOCK))
                thread.join()
