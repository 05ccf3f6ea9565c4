#!/usr/bin/env python3
"""--device without a device: what is said, and that programs which may run elsewhere do."""

import unittest

from fake_device import WEIGHTS, DeviceCase

PROGRAM = """void->void pipeline Main { add Source; add relu(); add linear(6, 3, weights = "fc"); add sigmoid(); add Sink; }
void->tensor filter Source { int n; work push 1 { push(full(n++, 2, 6)); } }
tensor->void filter Sink { work pop 1 { println(pop()); } }
"""
SCALARS = """void->void pipeline Main { add Source; add Sink; }
void->int filter Source { int n; work push 1 { push(n++); } }
int->void filter Sink { work pop 1 { println(pop()); } }
"""


class Device(DeviceCase):
    def setUp(self):
        super().setUp()
        self.file("p.str", PROGRAM)

    def test_words(self):
        for word in ("gpu", "cuda:", "cuda:x", "cuda:1234", "CUDA"):
            errors = self.call("run", "--device", word, "p.str", status=2)[1]
            self.assertIn("--device", errors)
            self.assertIn("cpu, cuda, cuda:N or auto", errors)

    def test_no_driver(self):
        self.check_fails(b"cannot open 'cuda:0': no NVIDIA driver is installed", "nowhere.so")

    def test_the_processor_instead(self):
        expected = self.call("run", "-i", "3", *WEIGHTS, "p.str")[0]
        self.assertNotEqual(expected, b"")
        for words in (["--device", "auto"], ["--device", "cpu"]):
            self.assertEqual(self.strc("nowhere.so", *words)[:2], (0, expected))
        self.call("build", *WEIGHTS, "--device", "auto", "-o", "p", "p.str")
        status, output, _ = self.strc("nowhere.so", command=["./p", "-i", "3"])
        self.assertEqual((status, output), (0, expected))

    def test_devices_that_are_not_there(self):
        driver = self.fake()
        self.check_fails(b"cannot open 'cuda:1': there is 1 CUDA device, so none is number 1", driver, "--device", "cuda:1")
        self.check_fails(b"has compute capability 6.0, and 8.0 is needed", driver, FAKE_CUDA_OLD="1")
        self.check_fails(b"cannot open 'cuda:0': some fault", driver, FAKE_CUDA="cuInit=100")

    def test_faults(self):
        driver = self.fake()
        self.call("build", *WEIGHTS, "--device", "cuda", "-o", "p", "p.str")
        for command in (None, ["./p", "-i", "3"]):
            self.check_fails(b"out of memory: the tapes and fields of the program on device cuda:0 needs", driver,
                             command=command, FAKE_CUDA="cuMemAlloc_v2=2")
            self.check_fails(b"cannot read 'cuda:0': unspecified launch failure, when it began a", driver,
                             command=command, FAKE_CUDA="cuLaunchKernel=719")
            self.check_fails(b"when it was given code", driver, command=command, FAKE_CUDA="cuModuleLoadDataEx=200")

    def test_who_was_at_work(self):
        """Filter, instance and line."""
        driver = self.fake()
        self.call("build", *WEIGHTS, "--device", "cuda", "-o", "p", "p.str")
        for command, place in ((None, b"p.str:1:73: error: "), (["./p", "-i", "3"], b"p.str:1:73: error: ")):
            errors = self.check_fails(b"out of memory: the weights on device cuda:0 needs", driver, command=command,
                                      FAKE_CUDA="cuMemAlloc_v2=2:3")
            self.assertIn(b"note: this filter needs most of it", errors)
            self.assertIn(b"note: in instance Main.", errors)
            errors = self.check_fails(b"cannot read 'cuda:0': GPU is lost, when it ran a kernel", driver, command=command,
                                      FAKE_CUDA="cuStreamSynchronize=999:2")
            self.assertIn(b"p.str:1:28: error", errors)

    def test_everything_is_given_back(self):
        self.assertEqual(self.strc(self.fake())[0], 0)
        calls = self.log.read_text().split()
        self.assertEqual(calls.count("cuMemAlloc_v2"), calls.count("cuMemFree_v2"))
        for begin, end in (("cuMemHostRegister_v2", "cuMemHostUnregister"), ("cuStreamCreate", "cuStreamDestroy_v2"),
                           ("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2"),
                           ("cuMemHostAlloc", "cuMemFreeHost"), ("cuGraphInstantiateWithFlags", "cuGraphExecDestroy")):
            self.assertEqual(calls.count(begin), calls.count(end), begin)

    def test_a_graph_from_the_second_time_on(self):
        self.assertEqual(self.strc(self.fake(), "--disable-pass=scaling")[0], 0)
        calls = self.log.read_text().split()
        self.assertEqual(calls.count("cuStreamBeginCapture_v2"), 1)
        self.assertEqual(calls.count("cuGraphLaunch"), 2)

    def test_what_cannot_be_there(self):
        self.file("p.str", SCALARS)
        self.check_fails(b"nothing of it can be on a device, since no filter of it computes with tensors alone", "nowhere.so")
        self.file("p.str", PROGRAM)
        self.file("library.str", "tensor->tensor pipeline Library { add relu(); }")
        errors = self.call("build", "--shared", "--top", "Library", "--input", "4", "--device", "cuda", "-o", "p.so",
                           "library.str", status=1)[1]
        self.assertIn("libraries run where they are called", errors)
        errors = self.call("build", "--static", *WEIGHTS, "--device", "cuda", "-o", "p", "p.str", status=1)[1]
        self.assertIn("static executables cannot load a driver", errors)


if __name__ == "__main__":
    unittest.main()
