"""What the tests of the command line share: programs, a folder of their own, calls of strc."""

import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time

import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "conformance"))
import engines  # noqa: E402

STRC = os.environ.get("STRC") or "strc"
# With `executable`, what `strc run` is to do is done by executables, as far as there are any.
ENGINE = os.environ.get("STRC_ENGINE", "")
SECONDS = 600 * float(os.environ.get("STRC_TEST_TIME_FACTOR", "1"))

COUNTER = """void->void pipeline Main(int n = 1) { add Source(n); add Sink; }
void->int stateful filter Source(int n) { int i; work push 1 { push(n * i++); } }
int->void filter Sink { work pop 1 { println(pop()); } }
"""
TWICE = "int->int filter Twice { work pop 1 push 1 { push(2 * pop()); } }\n"
COPY = """void->void pipeline Main { add FileReader<int>("in.raw"); add FileWriter<int>("out.raw"); }
"""

def clean(env=None):
    """The environment without what would change messages."""
    result = {k: v for k, v in os.environ.items() if k not in {"NO_COLOR", "COLUMNS"}}
    result.update({"LC_ALL": "C"}, **(env or {}))
    return result

def safetensors(*tensors):
    """A file: the length of the header, the header, the values."""
    header, data = {}, b""
    for name, kind, shape, values in tensors:
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data

class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="strc-cli-"))
        self.addCleanup(self.remove)

    def remove(self):
        subprocess.run(["rm", "-rf", self.folder], check=True)

    def file(self, name, contents):
        path = self.folder / name
        path.write_bytes(contents if isinstance(contents, bytes) else contents.encode("latin-1"))
        return path

    def bytes(self, name):
        return (self.folder / name).read_bytes()

    def start(self, *words, **options):
        options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        env = clean(options.pop("env", None))
        command = [STRC, *map(str, words)]
        if ENGINE == "executable" and command[1:2] == ["run"]:
            command = self.executable(command[2:]) or command
        process = subprocess.Popen(command, cwd=self.folder, env=env, **options)
        self.addCleanup(self.end, process)
        return process

    def executable(self, words):
        """The call of an executable that does what `strc run WORDS` does, or None if there is none: what it
        reports is then what `strc build` would."""
        compiler, program = engines.split(words)
        if "-" in compiler or {"--interpret", "--no-interpret"} & set(program):
            return None
        folder = tempfile.mkdtemp(prefix="strc-cli-")
        self.addCleanup(subprocess.run, ["rm", "-rf", folder], check=True)
        path = f"{folder}/strc"  # its messages then begin as those of strc do
        command = [STRC, "build", "-o", path, *compiler]
        built = subprocess.run(command, cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL)
        return [path, *program] if built.returncode == 0 else None

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                try:
                    stream.close()
                except BrokenPipeError:
                    pass

    def call(self, *words, input=b"", status=0, **options):
        """Runs strc to its end; standard output as bytes, standard error as text."""
        process = self.start(*words, **options)
        out, err = process.communicate(input if process.stdin else None, timeout=SECONDS)
        err = (err or b"").decode("utf-8")
        self.assertEqual(process.returncode, status, f"strc {' '.join(map(str, words))}\n{err}")
        return out, err

    def interrupt(self, process, ready, kind=signal.SIGINT):
        """Sends a signal once `ready` holds; the exit status."""
        deadline = time.monotonic() + SECONDS
        while not ready():
            self.assertLess(time.monotonic(), deadline, "never ready to be interrupted")
            time.sleep(0.01)
        process.send_signal(kind)
        return process.wait(SECONDS)
