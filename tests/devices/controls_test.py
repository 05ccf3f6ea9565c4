#!/usr/bin/env python3
"""`strc controls`: messages of OSC and bytes of MIDI become lines."""

import os
import signal
import socket
import struct
import sys
import threading
import tty
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))
from command import SECONDS, Case  # noqa: E402


def text(word):
    data = word.encode() + b"\0"
    return data + b"\0" * (-len(data) % 4)


class Controls(Case):
    def test_osc(self):
        probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        process = self.start("controls", "--osc", str(port))
        ends = threading.Event()
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

        def send():  # until it listens
            while not ends.wait(0.05):
                sender.sendto(b"nonsense", ("127.0.0.1", port))
                sender.sendto(text("/synth/cutoff") + text(",f") + struct.pack(">f", 812.5), ("127.0.0.1", port))

        sending = threading.Thread(target=send)
        sending.start()
        line = process.stdout.readline()
        ends.set()
        sending.join()
        sender.close()
        self.assertEqual(line, b"cutoff=812.5\n")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(SECONDS), 130)

    def test_midi(self):
        os.mkfifo(self.folder / "midi")
        process = self.start("controls", "--midi", "midi", "--cc", "1=gain:-60..6", "--cc", "2/1=mod")
        with open(self.folder / "midi", "wb", buffering=0) as device:
            device.write(b"\xb1\x01\x7f")
            self.assertEqual(process.stdout.readline(), b"gain=6\n")
            self.assertEqual(process.stdout.readline(), b"mod=1\n")
        self.assertEqual(process.wait(SECONDS), 0)

    def test_a_midi_file_that_cannot_be_read_is_told_once(self):
        process = self.start("controls", "--midi", ".", "--cc", "1=gain:-60..6")
        self.assertEqual(process.stderr.readline(), b"strc controls: cannot read '.': Is a directory\n")
        self.assertEqual(process.wait(SECONDS), 0)
        self.assertEqual(process.stderr.read(), b"")

    def test_a_midi_device_that_goes_is_told_and_may_come_back(self):
        link = self.folder / "midi"
        host, device = os.openpty()
        tty.setraw(device)
        os.symlink(os.ttyname(device), link)
        process = self.start("controls", "--midi", "midi", "--cc", "1=gain:-60..6")
        os.write(host, b"\xb1\x01\x7f\xb1")
        self.assertEqual(process.stdout.readline(), b"gain=6\n")
        os.unlink(link)
        os.close(device)
        os.close(host)
        self.assertEqual(process.stderr.readline(), b"strc controls: midi is gone, and is looked for\n")
        host, device = os.openpty()
        tty.setraw(device)
        os.symlink(os.ttyname(device), link)
        self.assertEqual(process.stderr.readline(), b"strc controls: midi is there again\n")
        os.write(host, b"\x01\x7f\xb1\x01\x00")  # the first two bytes go on with nothing
        self.assertEqual(process.stdout.readline(), b"gain=-60\n")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(SECONDS), 130)
        os.close(device)
        os.close(host)

    def test_faults(self):
        for words, status, wanted in (
            ([], 2, "there is nothing to listen to"),
            (["--midi", "x"], 2, "--midi needs --cc"),
            (["--osc", "70000"], 2, "'70000' is not a value for --osc"),
            (["--osc", "9000", "--cc", "200=a"], 2, "'200=a' is not a value for --cc"),
            (["--midi", "nothing", "--cc", "1=a"], 1, "cannot open 'nothing': No such file"),
        ):
            _, err = self.call("controls", *words, status=status)
            self.assertIn(wanted, err)


if __name__ == "__main__":
    unittest.main()
