#!/usr/bin/env python3
"""What is printed for a CUDA device computes what the processor computes: PTX of programs and of the library, done a thread
at a time (fake_grid.h), in two orders of threads and blocks. Kernels that touch other memory than the device's, read what nobody
wrote, or wait for threads that do not come, fail. Where STRC_TEST_DRIVER names a driver, the programs are done by its device instead."""

import subprocess
import unittest
from pathlib import Path

from command import STRC
from fake_device import NVCC, REAL, WEIGHTS, DeviceCase

ITEMS = 5
SOURCE = """void->float filter Source { int n; work push 1 { push((n * 31 % 23 - 11 + n % 5) * 0.1); n++; } }
tensor->void filter Sink { work pop 1 { println(pop()); } }
"""
BODY = "tensor->tensor filter F { work pop 1 push 1 { tensor x = pop(); %s } }\n"
PROGRAMS = {  # rows, columns, what is added, filters
    "products of tiles": (70, 33, "linear(33, 65); add F", BODY % "push(narrow(x, 0, 60, 10));"),
    "products of few rows": (3, 200, "linear(200, 40)", ""),
    "sums in parts": (2, 4000, "linear(4000, 3)", ""),
    "convolution": (18, 40, "reshape({1, 2, 18, 20}); add conv2d(2, 5, 3, 1, 1); add relu(); add maxpool2d(2)", ""),
    "functions": (4, 9, "F", BODY % "push(sin(x * 1e6) + cos(x) * exp(x) + tanh(x) + erf(x) + sqrt(abs(x)) + atan(x) + "
                  "pow(abs(x), 2.5) + log(x + 3));"),
    "normalised": (6, 48, "layernorm({48}); add softmax(); add gelu()", ""),
    "reductions": (7, 50, "F", BODY % "push(sum(x) + mean(x) * 3 + sum(x * x) + sum(softmax(x) * x));"),
    "integers": (5, 8, "F", BODY % "int s = 1; for (int i = 0; i < 40; i++) s = (s * 1103515 + 12345) % 65521 ^ (s >> 3); push(x * s);"),
    "attention": (6, 36, "F; add attention()", "tensor->tensor filter F { work pop 1 push 3 { tensor x = reshape(pop(), 2, 9, 12); "
                  "push(x); push(x * 0.5); push(x + 1); } }\n"),
    "what follows products": (12, 20, "linear(20, 30); add relu(); add F", BODY %
                              "tensor y = matmul(transpose(x, 0, 1), x); push(narrow(relu(y + narrow(x, 0, 0, 1) + y), 1, 0, 20));"),
    "what follows few rows": (2, 64, "linear(64, 48); add relu(); add F", BODY % "push(relu(matmul(x, ones(48, 48)) + x));"),
    "what follows parts of sums": (2, 4000, "linear(4000, 3); add relu()", ""),
    "recurrent": (7, 6, "reshape({1, 7, 6}); add lstm(6, 10)", ""),
}
TEAMS = {  # what threads do together: rows of 32 and more, and sums of all
    "rows": (5, 67, "softmax(); add layernorm({67}); add F", BODY % "push(narrow(x * amax(x, 1, 1) + amin(x, 1, 1) - sum(x * x, 1, 1), 1, 20, 20));"),
    "sums of everything": (9, 40, "F", BODY % "tensor m = mean(x); push((x - m) / sqrt(mean((x - m) * (x - m)) + 0.1) * item(amax(x)));"),
    "two dimensions": (4, 300, "reshape({2, 2, 3, 100}); add groupnorm(1, 2); add F",
                       BODY % "push(sum(sum(x, 3), 2) * 0.01 + amax(amax(x, 3), 2));"),
    "doubles and ints": (3, 70, "F", BODY % """double d = -1e9; int n = 7; float most = -1e9;
        for (int i = 0; i < 70; i++) n += i * (int) (x[2, i] * 10);
        for (int i = 0; i < 70; i++) most = max(most, x[0, 69 - i]);
        for (int i = 0; i < 70; i++) d = max(d, (double) x[1, i] * i);
        push(narrow(x * (float) d + n * 0.5 + most, 1, 0, 10));"""),
    "rows of a block": (2, 2500, "softmax(); add layernorm({2500}); add F",
                        BODY % "push(narrow(x * amax(x, 1, 1) + amin(x, 1, 1) - sum(x * x, 1, 1), 1, 20, 20));"),
    "doubles of a block": (1, 3000, "F", BODY % """double d = -1e9; int n = 7;
        for (int i = 0; i < 3000; i++) n += i * (int) (x[0, i] * 10);
        for (int i = 0; i < 3000; i++) d = max(d, (double) x[0, i] * i);
        push(narrow(x * (float) d + n * 0.5 + mean(x), 1, 0, 10));"""),
    "what others of the team wrote": (4, 170, "F; add attention(true)", "tensor->tensor filter F { work pop 1 push 3 { "
                                     "tensor x = reshape(pop(), 2, 2, 34, 5); push(x); push(x * 0.5 + 1); push(x * x); } }\n"),
}
IN_TURN = BODY.replace("push 1", "push 3") % "push(narrow(x, 0, 0, 5)); push(narrow(x, 0, 5, 7)); push(narrow(x, 0, 2, 2));" + """
tensor->tensor filter G { work pop 3 push 3 { tensor a = pop(); tensor b = pop(); tensor c = pop();
    push(softmax(b)); push(concat(a, c, 0)); push(c * 2); } }
tensor->tensor filter H { work pop 3 push 1 { tensor a = pop(); tensor b = pop(); push(concat(concat(a, b, 0), pop(), 0)); } }
"""
QKV = ("tensor->tensor filter F { work pop 1 push 3 { tensor x = pop(); tensor q = %s; tensor k = %s; tensor v = %s; "
       "push(q); push(k); push(v); } }\n")
ENDS = BODY.replace("filter F", "filter Ends") % "tensor y = flatten(x, 0, -1); push(concat(narrow(y, 0, 0, 400), narrow(y, 0, size(y, 0) - 400, 400), 0));"
HEADS = QKV % ("reshape(x, 2, 3, 9, 12)", "reshape(x * 0.5 + 1, 2, 3, 9, 12)", "reshape(x * x, 2, 3, 9, 12)")
ATTENTION = {  # rows, columns, what is added, filters: tiles of all kinds, and places that steps lead to
    "one head, a scale": (9, 12, "F; add attention(false, 0.7)", QKV % ("x", "x * 0.5", "x + 1")),
    "heads, causal": (6, 108, "F; add attention(true)", HEADS),
    "several tiles of keys, wider values": (70, 40, "F; add attention(); add Ends", ENDS + QKV % (
        "narrow(x, 1, 0, 20)", "narrow(x, 1, 20, 20) * 2", "concat(x, x * x, 1)")),
    "several tiles of queries, causal": (100, 8, "F; add attention(true)", QKV % ("x * 3", "x * x", "x")),
    "more keys than queries, causal": (70, 10, "F; add attention(true)", QKV % ("narrow(x, 0, 3, 40)", "x * 2", "x")),
    "wide": (34, 100, "F; add attention(); add Ends", ENDS + QKV % ("x", "x * 0.3", "narrow(x, 1, 0, 70)")),
    "tiles of many queries": (4 * 66, 6, "F; add attention(true); add Ends", ENDS + QKV % (
        "reshape(x, 4, 66, 6)", "reshape(x * 0.5 + 1, 4, 66, 6)", "reshape(x * x, 4, 66, 6)")),
    "tiles of many wide queries": (4 * 35, 68, "F; add attention(); add Ends", ENDS + QKV % (
        "reshape(x, 4, 35, 68)", "reshape(x * 0.1 + 1, 4, 35, 68)", "reshape(x * x, 4, 35, 68)")),
    "tiles of many queries of 64": (4 * 66, 40, "F; add attention(); add Ends", ENDS + QKV % (
        "reshape(x, 4, 66, 40)", "reshape(x * 0.5, 4, 66, 40)", "reshape(x, 4, 66, 40)")),
    "keys that heads share": (24, 30, "F; add attention()", QKV % (
        "reshape(x, 2, 3, 12, 10)", "reshape(narrow(x, 1, 0, 10), 2, 1, 12, 10)", "reshape(narrow(x, 1, 20, 10) + 1, 2, 1, 12, 10)")),
    "heads that are parts of rows": (11, 24, "F; add multiheadattention(24, 4, true)", QKV % ("x", "x * 0.5", "x + 1")),
    "great scores": (40, 16, "F; add attention()", QKV % ("x * 40", "x * 30", "x")),
    "more of them at once": (10, 60, "F", BODY % """float[600] y;
        for (int r = 0; r < 5; r++) {
            tensor m = narrow(x, 1, r * 12, 12);
            tensor a = attention(m, m * 0.5, m + 1);
            for (int i = 0; i < 120; i++) y[r * 120 + i] = a[i / 12, i % 12];
        }
        tensor z = y;
        push(z);"""),
}
OUTPUTS = "tensor->tensor filter Outputs { work pop %d push 1 { push(pop()); %s} }\n"
OF_TWO, OF_THREE = OUTPUTS % (2, "pop(); "), OUTPUTS % (3, "pop(); pop(); ")
RECURRENT = {  # loops that become one kernel
    "lstm": (7, 6, "reshape({7, 1, 6}); add lstm(6, 10); add Outputs", OF_THREE),
    "a batch, two layers": (15, 6, "reshape({5, 3, 6}); add lstm(6, 5, 2); add Outputs", OF_THREE),
    "gru of both directions": (8, 6, "reshape({8, 1, 6}); add gru(6, 9, 1, true, false, true); add Outputs", OF_TWO),
    "more sums than threads of a warp": (6, 8, "reshape({6, 1, 8}); add gru(8, 40); add Outputs", OF_TWO),
}
APART = {  # iterations around launches that are done at once
    "heads": (6, 108, "F; add attention(true)", "tensor->tensor filter F { work pop 1 push 3 { tensor x = reshape(pop(), 2, 3, 9, 12); "
              "push(x); push(x * 0.5 + 1); push(x * x); } }\n"),
    "products of parts": (6, 24, "F", BODY % """float[216] y;
        for (int r = 0; r < 6; r++) {
            tensor m = reshape(narrow(x, 0, r, 1), 6, 4);
            float best = item(amax(m));
            tensor p = matmul(m, transpose(m, 0, 1)) * best;
            for (int i = 0; i < 36; i++) y[r * 36 + i] = p[i / 6, i % 6] + r;
        }
        tensor z = y;
        push(z);"""),
    "a loop that goes on inside": (3, 32, "F", BODY % """float[12] y;
        for (int r = 0; r < 3; r++) {
            tensor h = reshape(narrow(narrow(x, 0, r, 1), 1, 0, 4), 1, 4);
            tensor w = reshape(narrow(narrow(x, 0, r, 1), 1, 8, 16), 4, 4);
            for (int t = 0; t < 3; t++) h = tanh(matmul(h, w) + t);
            for (int i = 0; i < 4; i++) y[r * 4 + i] = h[0, i];
        }
        tensor z = y;
        push(z);"""),
}
TENSOR = {  # products of many rows, which tensor cores may do
    "products": (70, 33, "linear(33, 13)", ""),
    "sums in parts, and what follows": (20, 1600, "linear(1600, 10); add relu()", ""),
    "transposed": (40, 20, "F", BODY % "tensor y = matmul(transpose(x, 0, 1), x); push(relu(y + narrow(x, 0, 0, 1)));"),
    "convolution": (12, 16, "reshape({1, 4, 6, 8}); add conv2d(4, 12, 3, 3, 1, 1, 1); add relu()", ""),
    "convolution with steps and groups": (24, 16, "reshape({2, 4, 6, 8}); add conv2d(4, 20, 3, 3, 2, 2, 1, 1, 1, 1, 2)", ""),
    "convolution with dilation": (12, 16, "reshape({1, 3, 8, 8}); add conv2d(3, 10, 3, 3, 1, 1, 2, 2, 2, 2)", ""),
    "heads": (20, 40, "F; add attention()", "tensor->tensor filter F { work pop 1 push 3 { tensor x = reshape(pop(), 2, 2, 10, 20); "
              "push(x); push(x * 0.5 + 1); push(x * x); } }\n"),
}
SHORT = {  # products of half and bfloat16, with and without tensor cores
    "products": (30, 33, "F", BODY % "tensor y = KIND(x); push((float) matmul(y, KIND(transpose(x, 0, 1) * 0.5 + 1)));"),
    "sums in parts": (20, 1601, "F", BODY % "tensor y = KIND(x); push((float) matmul(y, transpose(y, 0, 1)));"),
    "few rows": (40, 200, "F", BODY % "tensor y = KIND(x); push((float) matmul(narrow(y, 0, 5, 3), transpose(y, 0, 1)));"),
    "transposed, in batches": (40, 15, "F", BODY % "tensor y = KIND(reshape(x, 4, 10, 15)); push((float) matmul(transpose(y, 1, 2), y));"),
}


class Emulated(DeviceCase):
    def program(self, rows, columns, added, filters):
        self.file("p.str", "void->void pipeline Main { add Source; add frame({%d, %d}); add %s; add Sink; }\n" % (rows, columns, added) +
                  SOURCE + filters)

    def on_device(self, order, *words):
        command = [STRC, "run", "-i", str(ITEMS), *WEIGHTS, "--device", "cuda", *words, "p.str"]
        status, output, errors = self.strc(self.driver(), command=command, FAKE_CUDA_ORDER=order, **self.emulated())
        return status, output.decode(), errors.decode()

    def numbers(self, text):
        return [float(word) for word in text.replace("[", " ").replace("]", " ").split()]

    def errors(self, *words):
        """The greatest one, relative to numbers greater than 1, in each of the orders."""
        expected = self.numbers(self.call("run", "-i", str(ITEMS), *WEIGHTS, "p.str")[0].decode())
        self.assertGreaterEqual(len(set(expected)), ITEMS)
        for order in ("late", "early"):
            status, output, errors = self.on_device(order, *words)
            self.assertEqual(status, 0, errors)
            found = self.numbers(output)
            self.assertEqual(len(found), len(expected))
            yield max(abs(mine - theirs) / max(1, abs(theirs)) for mine, theirs in zip(found, expected))

    def check_same(self, *words, most=1e-5):
        for error in self.errors(*words):
            self.assertLessEqual(error, most)

    def test_programs(self):
        for name, program in PROGRAMS.items():
            with self.subTest(name):
                self.program(*program)
                self.check_same()

    def test_teams(self):
        for name, program in TEAMS.items():
            with self.subTest(name):
                self.program(*program)
                loops = "--disable-pass=device-attention"
                self.assertIn(b"team.exchange", self.shown("device-teams", loops))
                self.check_same(loops)
                self.check_same(loops, "--disable-pass=device-teams")

    def test_iterations_at_once(self):
        for name, program in APART.items():
            with self.subTest(name):
                self.program(*program)
                loops = "--disable-pass=device-attention"
                self.assertIn(b"contract", self.shown("device-distribution", loops))
                self.check_same(loops)
                self.check_same(loops, "--disable-pass=device-distribution")

    def test_shapes_in_turn(self):
        """Filters that would be one have tapes between them."""
        self.program(12, 4, "F; add G; add H", IN_TURN)
        alone = "--disable-pass=fuse-tensors"
        self.check_same(alone)
        self.assertNotIn("stays on the processor", self.on_device("late", alone)[2])

    def test_attention(self):
        """Scores are in no memory: nothing but attention stands where products and rows stood."""
        for name, program in ATTENTION.items():
            with self.subTest(name):
                self.program(*program)
                self.assertIn(b"attend (", self.shown("device-attention"))
                self.check_same(most=2e-5)

    def test_recurrences(self):
        for name, program in RECURRENT.items():
            with self.subTest(name):
                self.program(*program)
                self.assertRegex(self.shown("device-persistent"), rb"at once \d+ times, \d+ blocks: .*wait;")
                self.check_same()
                self.check_same("--disable-pass=device-persistent")

    def test_a_recurrence_that_does_not_fit(self):
        """Nothing waits for blocks that are not at work."""
        self.program(*RECURRENT["lstm"])
        expected = self.numbers(self.call("run", "-i", str(ITEMS), *WEIGHTS, "p.str")[0].decode())
        launches = []
        for blocks in ("0", "16"):
            self.log.unlink(missing_ok=True)
            status, output, errors = self.strc(
                self.driver(), command=[STRC, "run", "-i", str(ITEMS), *WEIGHTS, "--disable-pass=scaling", "--device", "cuda", "p.str"],
                FAKE_CUDA_BLOCKS=blocks, **self.emulated())
            self.assertEqual(status, 0, errors)
            for mine, theirs in zip(self.numbers(output.decode()), expected, strict=True):
                self.assertAlmostEqual(mine, theirs, 5)
            if not REAL:
                launches.append(self.log.read_text().split().count("cuLaunchKernel"))
        if not REAL:
            self.assertGreater(launches[0], launches[1] + 14, "there are 7 steps")

    def test_tensor_cores(self):
        """Factors of 11 bits with --fast-math, which shows; else whole ones."""
        for name, program in TENSOR.items():
            with self.subTest(name):
                self.program(*program)
                loops = "--disable-pass=device-attention"
                self.assertIn(b" on tensor cores", self.shown("device-tensor-cores", "--fast-math", loops))
                self.assertNotIn(b" on tensor cores", self.shown("device-tensor-cores", loops))
                for error in self.errors("--fast-math", loops):
                    self.assertGreater(error, 1e-6)
                    self.assertLess(error, 4e-3)
                self.check_same("--fast-math", loops, "--disable-pass=device-tensor-cores")

    def test_short_factors(self):
        for kind in ("half", "bfloat16"):
            for name, (rows, columns, added, filters) in SHORT.items():
                with self.subTest(name, kind=kind):
                    self.program(rows, columns, added, filters.replace("KIND", kind))
                    self.assertIn(b" on tensor cores", self.shown("device-tensor-cores"))
                    # Results are rounded once: sums in another order may fall to the other side.
                    most = 1e-3 if kind == "half" else 8e-3
                    self.check_same(most=most)
                    self.check_same("--disable-pass=device-tensor-cores", most=most)

    def printed(self):
        """PTX of the program."""
        self.call("build", *WEIGHTS, "--device", "cuda", "-o", "p", "p.str")
        whole = self.bytes("p")
        start = whole.index(b".version 7.8")
        return whole[start:whole.index(b"\0", start)].decode()

    def test_weights_stay_in_registers(self):
        """They are loaded in front of the loop over the steps, four numbers by each thread."""
        self.program(9, 128, "reshape({9, 1, 128}); add gru(128, 128); add Outputs", OF_TWO)
        entry = self.printed().split(".entry p0")[1].split("\n}")[0]
        before, loop = entry.split("$L__", 1)
        self.assertGreaterEqual(before.count("ld.global.nc.f32"), 4, entry)
        self.assertIn("call.uni", loop)
        self.assertIn("strc_grid_wait", loop)

    def shown(self, name, *words):
        return self.call("run", *WEIGHTS, "--device", "cuda", *words, "--emit-after", name, "p.str")[0]

    def test_what_follows_products_is_done_with_them(self):
        """Addends and bounds are operands of the contraction, which the library's kernels apply."""
        for name in ("what follows products", "what follows few rows", "what follows parts of sums"):
            self.program(*PROGRAMS[name])
            self.assertRegex(self.shown("fuse-epilogues").decode(), r"contract<int\[[56]\]\[[56]\]>")

    def test_one_steady_state_at_a_time(self):
        self.program(*PROGRAMS["normalised"])
        self.check_same("--disable-pass=scaling")

    def test_a_check_that_fails(self):
        """Its thread ends, and the others go on."""
        self.program(4, 50, "F", BODY % "int d = 3 - (int) (x[0, 0] * 10 + 11); push(x * (60 / d));")
        told = self.call("run", "-i", str(ITEMS), "p.str", status=1)
        for order in ("late", "early"):
            status, output, errors = self.on_device(order)
            self.assertEqual((status, output.encode("latin-1"), errors), (1, *told))

    @unittest.skipUnless(Path(NVCC).exists(), "there is no toolkit")
    def test_code_for_several_kinds_of_device(self):
        """The toolkit's assembler takes what is printed."""
        for program in (PROGRAMS["functions"], PROGRAMS["normalised"], RECURRENT["lstm"]):
            self.program(*program)
            self.file("p.ptx", self.printed())
            for kind in ("sm_80", "sm_90", "sm_100"):
                subprocess.run([NVCC, "-cubin", "-arch", kind, "p.ptx", "-o", "p.cubin"], cwd=self.folder, check=True)


@unittest.skipIf(REAL, "there is no stand-in")
class Stand(DeviceCase):
    """The stand-in itself notices what it is for."""

    KERNEL = """.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    BODY
    ret;
}
"""

    def run_kernel(self, body, allocated=256, order="late"):
        self.file("k.ptx", self.KERNEL.replace("BODY", body))
        self.file("main.c", """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int cuModuleLoadDataEx(void**, const void*, unsigned, int*, void**); int cuModuleGetFunction(void**, void*, const char*);
int cuMemAlloc_v2(uint64_t*, size_t); int cuStreamCreate(void**, unsigned); int cuStreamSynchronize(void*);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
int main(void) {
    static char text[65536];
    fread(text, 1, sizeof text - 1, fopen("k.ptx", "r"));
    void *module, *kernel, *stream; uint64_t at;
    cuStreamCreate(&stream, 0); cuModuleLoadDataEx(&module, text, 0, 0, 0); cuModuleGetFunction(&kernel, module, "k");
    cuMemAlloc_v2(&at, %d);
    void* parameters[] = {&at};
    if (cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, stream, parameters, 0)) return 3;
    if (cuStreamSynchronize(stream)) return 4;
    for (int k = 0; k < 64; ++k) printf("%%d ", ((int*)(uintptr_t)at)[k]);
}
""" % allocated)
        driver = self.fake()
        subprocess.run(["cc", "-o", "main", "main.c", driver, "-Wl,-rpath," + str(self.folder)], cwd=self.folder, check=True)
        done = self.strc(driver, command=["./main"], FAKE_CUDA_ORDER=order, **self.emulated())
        return done[0], done[1].split(), done[2].decode()

    STORE = "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r2;"

    def test_lanes_and_blocks(self):
        body = "shfl.sync.bfly.b32 %r2|%p1, %r1, 5, 31, -1; bar.sync 0; " + self.STORE
        for order in ("late", "early"):
            status, found, errors = self.run_kernel(body, order=order)
            self.assertEqual((status, found), (0, [b"%d" % (k ^ 5) for k in range(64)]), errors)

    def multiplied(self, instruction, rounded="cvt.rna.tf32.f32 %r10, %f1;"):
        """Of a = lane * 8 + register + 1 and b = (lane + 1) * 2 + register, sums from 0; the first word of each lane."""
        body = ""
        for k in range(6):
            number = f"mad.lo.s32 %r10, %r1, 8, {k + 1};" if k < 4 else f"mad.lo.s32 %r10, %r1, 2, {k - 2};"
            body += f"{number} cvt.rn.f32.s32 %f1, %r10; {rounded} mov.b32 %r{11 + k}, %r10; "
        return "and.b32 %r1, %r1, 31; " + body + \
            f"mov.f32 %f2, 0f00000000; {instruction} {{%f3, %f4, %f5, %f6}}, {{%r11, %r12, %r13, %r14}}, {{%r15, %r16}}, " \
            "{%f2, %f2, %f2, %f2}; cvt.rzi.s32.f32 %r2, %f6; mov.u32 %r1, %tid.x; " + self.STORE

    TF32 = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"

    def test_tensor_cores(self):
        """As PTX's manual tells where in the matrices each register of a lane lies."""
        a, b = {}, {}
        for lane in range(32):
            group, place = divmod(lane, 4)
            for k in range(4):
                a[group + 8 * (k % 2), place + 4 * (k // 2)] = lane * 8 + k + 1
            for k in range(2):
                b[place + 4 * k, group] = lane * 2 + k + 2
        expected = [b"%d" % sum(a[lane // 4 + 8, word] * b[word, lane % 4 * 2 + 1] for word in range(8)) for lane in range(32)] * 2
        for order in ("late", "early"):
            status, found, errors = self.run_kernel(self.multiplied(self.TF32), order=order)
            self.assertEqual((status, found), (0, expected), errors)
        # Two of 16 bits each in place of one number, the second one 0.
        halves = self.multiplied("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "mov.b32 %r10, %f1; shr.u32 %r10, %r10, 16;")
        self.assertEqual(self.run_kernel(halves)[:2], (0, expected))

    def test_factors_that_are_not_rounded(self):
        body = self.multiplied(self.TF32, "add.f32 %f1, %f1, 0f3DCCCCCD; mov.b32 %r10, %f1;")
        status, _, errors = self.run_kernel(body)
        self.assertEqual(status, 99)
        self.assertIn("a factor is not rounded to TF32, in k", errors)

    def test_memory_of_somebody_else(self):
        status, _, errors = self.run_kernel("mov.u32 %r2, 1; " + self.STORE, allocated=252)
        self.assertEqual(status, 4)
        self.assertIn("a place outside of its memory, in k", errors)

    def test_places_that_are_not_aligned(self):
        status, _, errors = self.run_kernel("mov.u32 %r2, 1; add.s64 %rd1, %rd1, 2; " + self.STORE)
        self.assertEqual(status, 4)
        self.assertIn("a place that is not aligned, in k", errors)

    def test_threads_that_do_not_come(self):
        body = "setp.eq.u32 %p1, %r1, 7; @%p1 bra $L1; bar.sync 0; $L1: mov.u32 %r2, 1; setp.ne.u32 %p1, %r1, 7; " \
               "@%p1 bra $L2; shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; $L2: " + self.STORE
        status, _, errors = self.run_kernel(body)
        self.assertEqual(status, 99)
        self.assertIn("threads wait for others that do not come, in k", errors)

    def test_instructions_that_it_does_not_know(self):
        status, _, errors = self.run_kernel("frobnicate.u32 %r2, %r1;")
        self.assertEqual(status, 99)
        self.assertIn("ptx_to_c.py: unknown: frobnicate.u32 %r2, %r1", errors)


if __name__ == "__main__":
    unittest.main()
