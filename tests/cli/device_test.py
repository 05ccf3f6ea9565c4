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

    def test_what_is_interpreted(self):
        self.file("sizes.str", """int->tensor filter Sizes { work pop 1 push 1 { push(ones(pop(), 2)); } }
int->tensor pipeline Symbolic { add Sizes; add linear(2, 3, weights = "l"); }
""")
        self.file("n.txt", "1 2 3\n")
        symbolic = ("--top=Symbolic", "--in=n.txt", "sizes.str")
        for words, why in ((("--interpret", "p.str"), "'--interpret' asks for none of its machine code"),
                           (("--lenient", "p.str"), "rates are handled leniently"),
                           (("--step-limit=100000", "p.str"), "its steps are limited"),
                           (symbolic, "only the run can tell a shape in 'Sizes'")):
            run = ("run", "-i3", *WEIGHTS, *words)
            out, errors = self.call(*run, "--device=cuda", status=1)
            self.assertEqual(out, b"")
            self.assertIn("nothing of it can be on a device, since " + why, errors)
            out, errors = self.call(*run, "--device=auto")
            self.assertEqual(out, self.call(*run)[0])
            self.assertIn("'--device auto' leaves all of it to the processor, since " + why, errors)

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
            self.check_fails(b"cannot read 'cuda:0': some fault, when it was asked for memory", driver, command=command,
                             FAKE_CUDA="cuMemAlloc_v2=3")
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

    def test_what_stays_is_told(self):
        told = """void->void pipeline Main { add Source; add relu(); add Shown; add Noise; add Shown; add sigmoid(); add Sink; }
        tensor->tensor filter Shown { work pop 1 push 1 { tensor x = pop(); println(sum(x)); push(x); } }
        tensor->tensor filter Noise { work pop 1 push 1 { push(pop() * random()); } }
        """ + PROGRAM[PROGRAM.index("void->tensor"):]
        self.file("p.str", told)
        errors = self.strc(self.fake())[2].decode()
        self.assertEqual([line for line in errors.splitlines() if "stays" in line],
                         ["p.str:1:52: note: this filter stays on the processor, since it prints (and 1 more instance of it) [hint]",
                          "p.str:1:63: note: this filter stays on the processor, since it draws random numbers [hint]"])
        self.assertIn("in instance Main.Shown", errors)
        self.assertNotIn("stays", self.strc(self.fake(), "--device", "auto")[2].decode())
        filters = ["tensor->tensor filter F%d { work pop 1 push 1 { tensor x = pop(); println(%d); push(x); } }\n" % (k, k)
                   for k in range(9)]
        adds = " ".join("add F%d;" % k for k in range(9))
        self.file("p.str", "void->void pipeline Main { add Source; add relu(); %s add Sink; }\n" % adds + "".join(filters) +
                  PROGRAM[PROGRAM.index("void->tensor"):])
        errors = self.strc(self.fake())[2].decode()
        self.assertEqual(errors.count("this filter stays on the processor, since it prints"), 4)
        self.assertIn("5 more filters of tensors stay on the processor", errors)

    def test_auto_says_why_there_is_nothing(self):
        word = b"note: '--device auto' leaves all of it to the processor, since "
        status, _, errors = self.strc("nowhere.so", "--device", "auto")
        self.assertEqual(status, 0)
        self.assertEqual(errors.count(b"note:"), 1)
        self.assertIn(word + b"no NVIDIA driver is installed", errors)
        self.call("build", *WEIGHTS, "--device", "auto", "-o", "p", "p.str")
        self.assertIn(word + b"no NVIDIA driver is installed", self.strc("nowhere.so", command=["./p", "-i", "3"])[2])
        self.file("p.str", SCALARS)
        self.assertIn(word + b"no filter of it computes with tensors alone", self.strc(self.fake(), "--device", "auto")[2])

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
