#!/usr/bin/env python3
"""Copies that go on while a device computes (the pass device-overlap): right whatever order the device takes that nobody has
forbidden, in pinned memory, and as one graph."""

import unittest
from array import array

from command import STRC
from fake_device import REAL, DeviceCase

SIZE = 16384  # floats of an item: a phase has 64 steady states, whose input makes 4 parts of 1 MiB
ITEMS = 3 * 64 + 5
PROGRAM = """void->void pipeline Main {
    add FileReader<tensor<float>[%d]>("in.raw");
    add Change;
    add Twice;
    add Change;
    add Next;
    add FileWriter<tensor<float>[%d]>("out.raw");
}
tensor->tensor filter Twice { work pop 1 push 1 { push(pop() * 2); } }
tensor->tensor filter Next { work pop 1 push 1 { push(pop() + 1); } }
tensor->tensor filter Change { work pop 1 peek 2 push 1 { push(peek(1) - peek(0)); pop(); } }
""" % (SIZE, SIZE)
CAREFUL = """void->void pipeline Main {
    add FileReader<tensor<float>[%d]>("in.raw");
    add Twice;
    add Careful;
    add FileWriter<tensor<float>[%d]>("out.raw");
}
tensor->tensor filter Twice { work pop 1 push 1 { push(pop() * 2); } }
tensor->tensor filter Careful { work pop 1 push 1 { tensor x = pop(); int d = (int) x[0]; push(x * (60 / d)); } }
""" % (SIZE, SIZE)
APART = "--disable-pass=fuse-tensors"


class Overlap(DeviceCase):
    def setUp(self):
        super().setUp()
        self.file("p.str", PROGRAM)
        items = array("f")
        for number in range(ITEMS):
            items.extend(array("f", [number * number % 101 + k % 7 for k in range(16)]) * (SIZE // 16))
        self.file("in.raw", items.tobytes())

    def on_device(self, *words, status=0, **env):
        command = [STRC, "run", "--device", "cuda", APART, *words, "p.str"]
        done = self.strc(self.driver(), command=command, **env)
        self.assertEqual(done[0], status, done[2])
        return done[2]

    def expected(self):
        self.call("run", "p.str")
        return self.bytes("out.raw")

    def calls(self):
        return [line.split() for line in self.log.read_text().splitlines()]

    def test_whatever_the_order(self):
        expected = self.expected()
        self.assertEqual(len(expected), 4 * SIZE * (ITEMS - 2))
        for order in ("late", "early"):
            for words in ((), ("--disable-pass=device-overlap",), ("--disable-pass=scaling",)):
                self.on_device(*words, FAKE_CUDA_ORDER=order)
                self.assertTrue(self.bytes("out.raw") == expected, (order, words))

    @unittest.skipIf(REAL, "its calls are not seen")
    def test_what_is_called(self):
        self.on_device()
        calls = self.calls()
        names = [call[0] for call in calls]
        for call in calls:
            if call[0] in ("cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2"):
                self.assertEqual(call[1], "pinned")
        self.assertEqual((names.count("cuStreamCreate"), names.count("cuEventCreate")), (3, 1))
        begin = names.index("cuStreamBeginCapture_v2")
        inside = names[begin + 1:names.index("cuStreamEndCapture")]
        # Of each of 4 parts: copies there, work, copies back; each time the one waits for the other.
        self.assertEqual(inside.count("cuMemcpyHtoDAsync_v2"), 4)
        self.assertEqual(inside.count("cuMemcpyDtoHAsync_v2"), 4 + 1)
        self.assertEqual(inside.count("cuStreamWaitEvent"), 1 + 4 + 4 + 1)
        self.assertEqual(inside.count("cuEventRecord"), inside.count("cuStreamWaitEvent"))
        for begin, end in (("cuEventCreate", "cuEventDestroy_v2"), ("cuStreamCreate", "cuStreamDestroy_v2")):
            self.assertEqual(names.count(begin), names.count(end))

    @unittest.skipIf(REAL, "its calls are not seen")
    def test_without(self):
        self.on_device("--disable-pass=device-overlap")
        names = [call[0] for call in self.calls()]
        self.assertNotIn("cuEventRecord", names)
        self.assertEqual(names.count("cuStreamCreate"), 1)

    @unittest.skipIf(REAL, "it pins all memory")
    def test_memory_that_cannot_be_pinned(self):
        expected = self.expected()
        self.on_device(FAKE_CUDA="cuMemHostRegister_v2=1")
        self.assertTrue(self.bytes("out.raw") == expected)
        self.assertNotIn("cuEventRecord", [call[0] for call in self.calls()])

    def test_printed(self):
        text = self.call("run", "--device", "cuda", APART, "--emit-after=device-overlap", "p.str")[0].decode()
        self.assertIn("; device-overlap: the scaled phase\n", text)
        segment = text[text.index(" in 4 parts:"):]
        kinds = [line.split()[0] for line in segment.splitlines()[1:] if line.startswith("    ")]
        copies = [kind for kind in kinds if kind in ("upload", "download")]
        self.assertEqual(copies, ["upload", "download"] * 4)
        small = PROGRAM.replace(str(SIZE), "16")
        self.file("p.str", small)
        self.assertIn(b"applied to nothing",
                      self.call("run", "--device", "cuda", "--emit-after=device-overlap", "p.str")[0])

    def test_a_check_that_fails(self):
        """All that was made before it is written, and nothing behind it."""
        self.file("p.str", CAREFUL)
        for bad in (20, 64 + 20, 2 * 64 + 63, ITEMS - 1):
            items = array("f")
            for number in range(ITEMS):
                items.extend(array("f", [0 if number == bad else 1 + number % 7]) * SIZE)
            self.file("in.raw", items.tobytes())
            told = self.call("run", APART, "p.str", status=1)[1]
            expected = self.bytes("out.raw")
            self.assertEqual(len(expected), 4 * SIZE * bad)
            for order in ("late", "early"):
                self.assertEqual(self.on_device(status=1, FAKE_CUDA_ORDER=order).decode(), told)
                self.assertTrue(self.bytes("out.raw") == expected, (bad, order))

    @unittest.skipIf(REAL, "it is not lost at will")
    def test_a_device_that_is_lost(self):
        """What was written before stays, whole items of it."""
        expected = self.expected()
        for call in ("cuStreamSynchronize=999:4", "cuMemcpyHtoDAsync_v2=999:8", "cuGraphLaunch=999"):
            errors = self.on_device(status=1, FAKE_CUDA=call)
            self.assertIn(b"cannot read 'cuda:0': GPU is lost", errors)
            self.assertIn(b"p.str:3:5: error", errors)
            self.assertIn(b"in instance Main.Change", errors)
            written = self.bytes("out.raw")
            self.assertEqual(len(written) % (4 * SIZE), 0)
            self.assertTrue(written == expected[:len(written)])
        errors = self.on_device(status=1, FAKE_CUDA="cuGraphInstantiateWithFlags=2")
        self.assertIn(b"cannot read 'cuda:0': out of memory, when it made a graph", errors)


if __name__ == "__main__":
    unittest.main()
