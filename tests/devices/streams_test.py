#!/usr/bin/env python3
"""Ends of a stream that are sockets, a receiver stick that is played by this test, and SigMF recordings."""

import array
import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))
from command import ENGINE, SECONDS, TWICE, Case  # noqa: E402

COMPLEX = "complex->complex filter Copy { work pop 1 push 1 { push(pop()); } }\n"
REAL = "float->float filter Copy { work pop 1 push 1 { push(pop()); } }\n"
RATE = "float->float filter Rate(float rate = sampleRate(1)) { work pop 1 push 1 { pop(); push(rate); } }\n"


def ints(*values):
    return array.array("i", values).tobytes()


class Server:
    """Listens, takes one connection, and does something with it."""

    def __init__(self, listener, does):
        self.listener = listener
        listener.settimeout(SECONDS)
        listener.listen(1)
        self.thread = threading.Thread(target=self.serve, args=(does,))
        self.thread.start()

    def serve(self, does):
        connection, _ = self.listener.accept()
        with connection:
            self.result = does(connection)
        self.listener.close()

    def wait(self):
        self.thread.join(SECONDS)
        return self.result


def tcp():
    made = socket.socket()
    made.bind(("127.0.0.1", 0))
    return made, made.getsockname()[1]


def receive(connection, count=None):
    data = b""
    while count is None or len(data) < count:
        more = connection.recv(65536 if count is None else count - len(data))
        if not more:
            break
        data += more
    return data


def free_port():
    made, port = tcp()
    made.close()
    return port


class Sockets(Case):
    def setUp(self):
        super().setUp()
        self.file("twice.str", TWICE)

    def test_items_come_from_a_port(self):
        listener, port = tcp()
        server = Server(listener, lambda c: c.sendall(ints(1, 2, 3)))
        self.call("run", "--top=Twice", "--in", f"tcp:127.0.0.1:{port}", "--out", "out.raw", "twice.str")
        server.wait()
        self.assertEqual(self.bytes("out.raw"), ints(2, 4, 6))

    def test_items_go_to_a_port_and_are_answered_one_by_one(self):
        got = []
        in_listener, in_port = tcp()
        out_listener, out_port = tcp()
        ready = threading.Event()
        box = {}

        def feed(connection):
            box["in"] = connection
            ready.wait(SECONDS)
            for value in (5, 6):
                connection.sendall(ints(value))
                got.append(receive(box["out"], 4))

        def hold(connection):
            box["out"] = connection
            ready.set()
            feeding.thread.join(SECONDS)

        feeding = Server(in_listener, feed)
        holding = Server(out_listener, hold)
        self.call("run", "--top=Twice", "--in", f"tcp:127.0.0.1:{in_port}", "--out", f"tcp:127.0.0.1:{out_port}", "twice.str")
        feeding.wait()
        holding.wait()
        self.assertEqual(got, [ints(10), ints(12)])

    def test_a_socket_of_the_file_system(self):
        listener = socket.socket(socket.AF_UNIX)
        path = str(self.folder / "s")
        listener.bind(path)
        server = Server(listener, receive)
        self.call("run", "--top=Twice", "--in", "-", "--out", f"unix:{path}", "twice.str", input=ints(7, 8))
        self.assertEqual(server.wait(), ints(14, 16))

    def test_it_waits_for_a_caller(self):
        port = free_port()
        process = self.start("run", "--top=Twice", "--in", f"tcp::{port}", "--out", "-", "twice.str")
        for _ in range(int(SECONDS * 20)):
            try:
                caller = socket.create_connection(("127.0.0.1", port), 1)
                break
            except OSError:
                threading.Event().wait(0.05)
        caller.sendall(ints(9))
        caller.close()
        out, err = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, out), (0, ints(18)), err)

    def test_faults(self):
        port = free_port()
        for name, why in (
            (f"tcp:127.0.0.1:{port}", "Connection refused"),
            ("tcp:nonsense", "a host and a port are needed"),
            ("tcp:127.0.0.1:", "a host and a port are needed"),
            ("tcp::70000", "a port is a number up to 65535"),
            ("tcp:127.0.0.1:70000", "a port is a number up to 65535"),
            ("tcp:127.0.0.1:-1", "a port is a number up to 65535"),
            ("tcp:127.0.0.1:80x", "a port is a number up to 65535"),
            ("unix:nobody", "No such file or directory"),
            ("unix:", "a path is needed"),
        ):
            for side in ("--in", "--out"):
                with self.subTest(name, side=side):
                    _, err = self.call("run", "--top=Twice", side, name, "twice.str", status=1)
                    self.assertIn(f"cannot open '{name}': {why}", err)

    def test_a_file_may_be_called_so(self):
        self.file("tcp:1:2", ints(4))
        out, _ = self.call("run", "--top=Twice", "--in", "./tcp:1:2", "--in-format=raw", "twice.str")
        self.assertEqual(out, ints(8))


class Stick(Case):
    HEADER = b"RTL0" + struct.pack(">II", 5, 29)

    def listen(self, words, status=0, header=HEADER, count=0):
        self.file("copy.str", COMPLEX)
        listener, port = tcp()

        def serve(connection):
            connection.sendall(header)
            told = receive(connection, 5 * count)
            with contextlib.suppress(ConnectionError):  # A program that refuses what it was told may be gone.
                connection.sendall(bytes([255, 0, 128, 127]))
            return told

        server = Server(listener, serve)
        _, err = self.call("run", "--top=Copy", "--in", f"rtl_tcp:127.0.0.1:{port}{words}", "--out", "out.raw", "copy.str", status=status)
        return server.wait(), err

    def test_bytes_are_complex_numbers(self):
        self.listen("")
        made = array.array("f", self.bytes("out.raw"))
        for value, wanted in zip(made, (1, -1, 0.5 / 127.5, -0.5 / 127.5)):
            self.assertAlmostEqual(value, wanted, delta=0.01)

    def test_the_stick_is_told(self):
        told, _ = self.listen("?frequency=100.1M&rate=1.024M&gain=20.7", count=4)
        commands = [struct.unpack(">BI", told[k : k + 5]) for k in range(0, len(told), 5)]
        self.assertEqual(commands, [(1, 100100000), (2, 1024000), (3, 1), (4, 207)])

    def test_faults(self):
        _, err = self.listen("?volume=3", status=1)
        self.assertIn("'volume=3' is none of frequency=100.1M, rate=1.024M and gain=20", err)
        _, err = self.listen("?rate=fast", status=1)
        self.assertIn("'rate=fast' is none of", err)
        _, err = self.listen("", status=1, header=b"HTTP/1.1 400 no")
        self.assertIn("what answers there is not rtl_tcp", err)


class SigMf(Case):
    def recording(self, kind, data, rate=None, name="r", **more):
        about = {"captures": [{"core:datatype": "no"}], "global": {"core:author": 'a "b" {', "core:datatype": kind, "x": [1, {"y": None}], **more}}
        if rate:
            about["global"]["core:sample_rate"] = rate
        self.file(f"{name}.sigmf-data", data)
        self.file(f"{name}.sigmf-meta", json.dumps(about))

    def read(self, text, *options, status=0):
        self.file("copy.str", text)
        name = text.split("filter ")[1].split()[0].split("(")[0]
        _, err = self.call("run", f"--top={name}", "--in", "r.sigmf-data", "--out", "out.raw", *options, "copy.str", status=status)
        return list(array.array("f", self.bytes("out.raw"))) if status == 0 else err

    def test_types(self):
        for kind, data in (
            ("cf32_le", struct.pack("<4f", 0.5, -0.5, 1, 2)),
            ("cf64_le", struct.pack("<4d", 0.5, -0.5, 1, 2)),
            ("rf32_le", struct.pack("<4f", 0.5, -0.5, 1, 2)),
            ("ci16_le", struct.pack("<4h", 16384, -16384, 8192, 0)),
            ("ci8", struct.pack("4b", 64, -64, 32, 0)),
        ):
            with self.subTest(kind):
                self.recording(kind, data)
                made = self.read(REAL if kind[0] == "r" else COMPLEX)
                wanted = [0.5, -0.5, 1, 2] if "f" in kind else [0.5, -0.5, 0.25, 0]
                self.assertEqual(len(made), 4)
                for value, each in zip(made, wanted):
                    self.assertAlmostEqual(value, each, delta=0.001)

    def test_the_rate_is_known(self):
        self.recording("rf32_le", struct.pack("<2f", 1, 2), rate=250000.0)
        if ENGINE != "executable":
            return self.assertEqual(self.read(RATE), [250000, 250000])
        self.file("rate.str", RATE)
        self.call("build", "--top=Rate", "--keep-param=rate", "rate.str")
        subprocess.run(["./rate", "--in", "r.sigmf-data", "--out", "out.raw"], cwd=self.folder, check=True, timeout=SECONDS)
        self.assertEqual(list(array.array("f", self.bytes("out.raw"))), [250000, 250000])

    def test_faults(self):
        self.recording("cf32_be", bytes(8))
        self.assertIn("'cf32_be' is none of the types that can be read", self.read(COMPLEX, status=1))
        self.file("r.sigmf-meta", '{"global": {"core:author": "me"')
        self.assertIn("its description has no 'core:datatype' in 'global'", self.read(COMPLEX, status=1))
        self.file("r.sigmf-meta", "")
        self.assertIn("its description has no 'core:datatype'", self.read(COMPLEX, status=1))
        os.unlink(self.folder / "r.sigmf-meta")
        self.assertIn("cannot open 'r.sigmf-meta': No such file", self.read(COMPLEX, status=1))
        self.recording("cf32_le", bytes(8))
        _, err = self.call("run", "--top=Copy", "--in", "r.sigmf-meta", "--out", "out.raw", "copy.str", status=1)
        self.assertIn("this is the description of a recording, whose samples lie in a file with the ending '.sigmf-data'", err)

    def test_written_and_read_again(self):
        self.recording("ci16_le", struct.pack("<4h", 16384, -16384, 8192, 0), rate=48000)
        self.file("copy.str", COMPLEX)
        self.call("run", "--top=Copy", "--in", "r.sigmf-data", "--out", "w.sigmf-data", "copy.str")
        about = json.loads(self.bytes("w.sigmf-meta"))
        self.assertEqual(about["global"]["core:datatype"], "cf32_le")
        self.assertEqual(about["global"]["core:sample_rate"], 48000)
        self.assertEqual(list(array.array("f", self.bytes("w.sigmf-data"))), [0.5, -0.5, 0.25, 0])


if __name__ == "__main__":
    unittest.main()
