#!/usr/bin/env python3
"""PTX as C, so that a processor can do what was printed for a CUDA device, a thread at a time:

    ptx_to_c.py CODE.ptx OUT.c

The C code includes ptx_machine.h and exports `ptx_module`. It knows the instructions that strc, libdevice and the kernels of
stdlib/native/cuda are made of (PTX ISA 7.8 to 9.0), and an unknown one is an error with its text. Approximations (ex2.approx and
the like) are computed exactly; subnormal numbers are kept where the device may flush them.
"""

import re
import sys

TYPES = {"u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t",
         "s8": "int8_t", "s16": "int16_t", "s32": "int32_t", "s64": "int64_t",
         "b8": "uint8_t", "b16": "uint16_t", "b32": "uint32_t", "b64": "uint64_t", "f32": "float", "f64": "double"}
SPECIAL = {"%tid": "tid", "%ntid": "ntid", "%ctaid": "ctaid", "%nctaid": "nctaid"}
BINARY = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}
COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
FUNCTIONS = {"sqrt": "sqrt", "sin": "sin", "cos": "cos", "ex2": "exp2", "lg2": "log2", "tanh": "tanh"}
ROUNDED = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
INT_RANGE = {"s8": 7, "s16": 15, "s32": 31, "s64": 63}


class Unknown(Exception):
    pass


def mangled(name):
    return "x_" + re.sub(r"\W", lambda m: "_%02x" % ord(m.group()), name)


def size_of(kind):
    return int(kind[1:]) // 8


def is_real(kind):
    return kind[0] == "f"


def without_comments(text):
    return re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", "", text, flags=re.S))


class Variable:
    """A declaration of memory: .align 4 .b8 name[12] = {...}."""

    PATTERN = re.compile(r"(?:\.align\s+(\d+)\s*)?((?:\.ptr|\.global|\.shared)\s+)*\.([bsuf]\d+)\s+([\w$%.]+)\s*(?:\[(\d*)\])?\s*(?:=\s*(.*))?$",
                         re.S)

    def __init__(self, text):
        match = self.PATTERN.match(text.strip())
        if not match:
            raise Unknown(text)
        self.kind = match[3]
        self.name = match[4]
        self.count = int(match[5] or 1)
        self.is_array = match[5] is not None
        self.size = size_of(self.kind) * self.count
        self.align = int(match[1] or size_of(self.kind))
        self.value = match[6]


def laid_out(variables):
    """Offsets, and their end."""
    offsets, end = [], 0
    for each in variables:
        end = -(-end // each.align) * each.align
        offsets.append(end)
        end += each.size
    return offsets, end


class Function:
    """An entry or a .func."""

    def __init__(self, module, head, body):
        self.module = module
        self.is_entry = ".entry" in head
        match = re.search(r"\.(?:entry|func)\s*(?:\(([^)]*)\))?\s*([\w$]+)\s*(?:\((.*?)\))?\s*(?:\.|$)", head, re.S)
        self.name = match[2]
        self.results = self.parameters_of(match[1])
        self.parameters = self.parameters_of(match[3])
        self.offsets, _ = laid_out(self.parameters)
        self.body = body
        self.registers = {}
        self.lines = []
        self.locals = []
        self.places = {}
        if self.is_entry:
            for each, offset in zip(self.parameters, self.offsets):
                self.places[each.name] = f"(parameters + {offset})"
        else:
            for each in self.parameters + self.results:
                self.places[each.name] = mangled(each.name)
        self.meets = False
        self.polls = False

    @staticmethod
    def parameters_of(text):
        parts = [re.sub(r"^\s*\.param\s+", "", part) for part in (text or "").split(",") if part.strip()]
        parts = [re.sub(r"\.ptr\s*(\.(global|shared|const|local)\s*)?(\.align\s+\d+\s*)?", "", part) for part in parts]
        return [Variable(part) for part in parts]

    def head(self):
        if self.is_entry:
            return f"static void {mangled(self.name)}(ptx_thread* t, const unsigned char* parameters)"
        words = ["ptx_thread* t", *(f"unsigned char* {mangled(each.name)}" for each in self.parameters + self.results)]
        return f"static void {mangled(self.name)}({', '.join(words)})"

    # ---- operands

    def register(self, name):
        self.registers.setdefault(name, mangled(name))
        return self.registers[name]

    def value(self, text, kind):
        """As an expression of the C type of `kind`."""
        text = text.strip()
        bits = self.bits(text, kind)
        if kind == "pred":
            return f"({bits} & 1)"
        if kind == "f32":
            return f"ptx_f32({bits})"
        if kind == "f64":
            return f"ptx_f64({bits})"
        return f"({TYPES[kind]})({bits})"

    def bits(self, text, kind="b64"):
        text = text.strip()
        if text.startswith("!"):
            return f"!({self.bits(text[1:], kind)} & 1)"
        if text.startswith("%"):
            base, _, part = text.partition(".")
            if base in SPECIAL:
                return f"t->{SPECIAL[base]}[{'xyz'.index(part)}]"
            if text == "%laneid":
                return "t->laneid"
            return self.register(text)
        if re.match(r"0[fF][0-9A-Fa-f]{8}$", text):
            whole = "0x" + text[2:] + "u"
            return whole if kind != "f64" else f"ptx_of_f64(ptx_f32({whole}))"
        if re.match(r"0[dD][0-9A-Fa-f]{16}$", text):
            return "0x" + text[2:] + "ull"
        if re.match(r"-?(0x[0-9A-Fa-f]+|\d+)U?$", text):
            return f"(uint64_t)({text.rstrip('U')}ll)" if not re.match(r"-9223372036854775808", text) else "(1ull << 63)"
        if text in self.registers:
            return self.registers[text]
        return self.address_of(text)

    def address_of(self, symbol):
        if symbol in self.places:
            return f"(uint64_t)(uintptr_t){self.places[symbol]}"
        if symbol in self.module.shared:
            return f"{self.module.shared[symbol]}ull"
        if symbol in self.module.globals:
            return f"(uint64_t)(uintptr_t){mangled(symbol)}"
        raise Unknown(symbol)

    def set(self, to, kind, value):
        if to == "_":
            return
        if kind == "f32":
            value = f"ptx_of_f32({value})"
        elif kind == "f64":
            value = f"ptx_of_f64({value})"
        elif kind == "pred":
            value = f"({value}) & 1"
        elif kind[0] != "s":
            value = f"({TYPES[kind]})({value})"
        else:
            value = f"(uint64_t)(int64_t)({TYPES[kind]})({value})"
        self.lines.append(f"{self.register(to)} = {value};")

    def place(self, text, space):
        """The address of an operand in brackets, of the host."""
        base, _, offset = text.strip()[1:-1].replace(" ", "").partition("+")
        at = self.bits(base)
        if space == "shared":
            at = f"((uint64_t)(uintptr_t)t->shared + (uint32_t)({at}))"
        return f"({at} + (uint64_t)({offset or 0}ll))"

    # ---- instructions

    def instruction(self, text):
        guard = re.match(r"@(!?)(%\w+)\s+(.*)", text, re.S)
        if guard:
            self.lines.append(f"if ({guard[1]}({self.register(guard[2])} & 1)) {{")
            self.instruction(guard[3])
            self.lines.append("}")
            return
        name, _, rest = text.partition(" ")
        words = name.split(".")
        operands = self.split(rest)
        method = getattr(self, "do_" + words[0], None)
        if not method:
            raise Unknown(text)
        method(words[1:], operands)

    @staticmethod
    def split(text):
        return [part.strip() for part in re.findall(r"\{[^}]*\}|\[[^\]]*\]|\([^)]*\)|[^,\s][^,]*", text)]

    @staticmethod
    def kind_in(words):
        kinds = [word for word in words if word in TYPES or word == "pred"]
        if not kinds:
            raise Unknown(".".join(words))
        return kinds[-1]

    def transfer(self, words, operands, is_load):
        kind = self.kind_in(words)
        space = next((word for word in ("param", "global", "shared", "local", "const") if word in words), "")
        values, where = (operands if is_load else reversed(operands))
        names = [part.strip() for part in values.strip("{}").split(",")]
        self.lines.append(f"{{ uint64_t at_ = {self.place(where, space)};")
        size = size_of(kind)
        if space == "global":
            self.lines.append(f"t->calls->touch(t, at_, {size * len(names)});")
        if is_load and "volatile" in words:
            self.lines.append("t->calls->poll(t);")
            self.meets = self.polls = True
        for k, each in enumerate(names):
            at = f"(void*)(uintptr_t)(at_ + {k * size})"
            self.lines.append(f"{{ {TYPES[kind]} value_;")
            if is_load:
                self.lines.append(f"memcpy(&value_, {at}, {size});")
                self.set(each, kind, "value_")
            else:
                self.lines.append(f"value_ = {self.value(each, kind)}; memcpy({at}, &value_, {size});")
            self.lines.append("}")
        self.lines.append("}")

    def do_ld(self, words, operands):
        self.transfer(words, operands, True)

    def do_st(self, words, operands):
        self.transfer(words, operands, False)

    do_ldu = do_ld

    def do_mov(self, words, operands):
        kind = self.kind_in(words)
        to, source = operands
        if to.startswith("{"):
            names = [part.strip() for part in to.strip("{}").split(",")]
            width = 8 * size_of(kind) // len(names)
            self.lines.append(f"{{ uint64_t whole_ = {self.bits(source, kind)};")
            for k, each in enumerate(names):
                self.set(each, f"b{width}", f"whole_ >> {k * width}")
            self.lines.append("}")
        elif source.startswith("{"):
            names = [part.strip() for part in source.strip("{}").split(",")]
            width = 8 * size_of(kind) // len(names)
            parts = [f"(uint64_t)(uint{width}_t)({self.bits(each)}) << {k * width}" for k, each in enumerate(names)]
            self.set(to, kind, " | ".join(parts))
        else:
            self.set(to, kind, self.value(source, kind))

    def do_cvta(self, words, operands):
        if "shared" in words:
            base = "(uint64_t)(uintptr_t)t->shared"
            self.set(operands[0], "b64", f"{self.bits(operands[1])} {'-' if 'to' in words else '+'} {base}")
        else:
            self.set(operands[0], "b64", self.bits(operands[1]))

    def do_cvt(self, words, operands):
        if words == ["f32", "f16"]:
            return self.set(operands[0], "f32", f"ptx_f16({self.bits(operands[1])})")
        if words == ["rna", "tf32", "f32"]:
            return self.set(operands[0], "b32", f"ptx_tf32({self.value(operands[1], 'f32')})")
        to, source = [word for word in words if word in TYPES]
        value = self.value(operands[1], source)
        rounding = next((ROUNDED[word] for word in words if word in ROUNDED), None)
        if is_real(source) and rounding:
            value = f"{rounding}({value})"
        if is_real(to):
            value = f"ptx_saturated({value})" if "sat" in words else value
            self.set(operands[0], to, f"({TYPES[to]})({value})")
        elif is_real(source):
            bits = 8 * size_of(to)
            if to in INT_RANGE:
                high = float(2 ** (bits - 1))
                least = f"(-{2 ** (bits - 1) - 1}ll - 1)"
                value = f"ptx_to_int({value}, -{high!r}, {high!r}, {least}, {2 ** (bits - 1) - 1}ll)"
            else:
                value = f"ptx_to_unsigned({value}, {float(2 ** bits)!r}, {2 ** bits - 1}ull)"
            self.set(operands[0], to, value)
        else:
            if "sat" in words:
                raise Unknown("cvt." + ".".join(words))
            # What is wider than the source keeps its sign if the source has one.
            self.set(operands[0], to, f"({TYPES[to]})({value})")

    def arithmetic(self, words, operands, operator):
        kind = self.kind_in(words)
        if "cc" in words or "carry" in words:
            return self.with_carry(words, operands, self.value(operands[1], kind), self.value(operands[2], kind), operator)
        a, b = (self.value(each, kind) for each in operands[1:3])
        if is_real(kind) or kind == "pred":
            self.set(operands[0], kind, f"{a} {operator} {b}")
        else:
            # As unsigned numbers, since those of C may wrap around.
            whole = f"uint{8 * size_of(kind)}_t"
            self.set(operands[0], kind, f"({whole}){a} {operator} ({whole}){b}")

    def with_carry(self, words, operands, a, b, operator):
        """a + b or a - b with the carry of the last such instruction if it takes it ("carry"), which leaves its own ("cc")."""
        kind = self.kind_in(words)
        bits = 8 * size_of(kind)
        whole = f"(unsigned __int128)(uint{bits}_t)"
        taken = f" {operator} carry_" if "carry" in words else ""
        self.lines.append(f"{{ unsigned __int128 sum_ = {whole}{a} {operator} {whole}{b}{taken};")
        if "cc" in words:
            self.lines.append(f"carry_ = (uint64_t)(sum_ >> {bits}) & 1;")
        self.set(operands[0], f"b{bits}", "sum_")
        self.lines.append("}")

    def do_addc(self, words, operands):
        self.arithmetic([*words, "carry"], operands, "+")

    def do_subc(self, words, operands):
        self.arithmetic([*words, "carry"], operands, "-")

    def do_madc(self, words, operands):
        self.do_mul([*words, "carry"], operands, operands[3])

    def do_mul(self, words, operands, plus=None):
        kind = self.kind_in(words)
        a, b = (self.value(each, kind) for each in operands[1:3])
        if is_real(kind):
            self.set(operands[0], kind, f"{a} * {b}" + (f" + {self.value(plus, kind)}" if plus else ""))
            return
        bits = 8 * size_of(kind)
        whole = ("__int128" if kind[0] == "s" else "unsigned __int128")
        product = f"((unsigned __int128)(({whole}){a} * ({whole}){b}))"
        result = kind
        if "wide" in words:
            result = f"{kind[0]}{2 * bits}"
        elif "hi" in words:
            product = f"({product} >> {bits})"
        if "cc" in words or "carry" in words:
            return self.with_carry(words, operands, product, self.value(plus, kind), "+")
        if plus:
            product = f"({product} + (unsigned __int128){self.value(plus, result)})"
        self.set(operands[0], result, f"(uint64_t){product}")

    def do_mad(self, words, operands):
        self.do_mul(words, operands, operands[3])

    def do_fma(self, words, operands):
        kind = self.kind_in(words)
        a, b, c = (self.value(each, kind) for each in operands[1:4])
        self.set(operands[0], kind, f"fma{'f' if kind == 'f32' else ''}({a}, {b}, {c})")

    def do_div(self, words, operands):
        kind = self.kind_in(words)
        a, b = (self.value(each, kind) for each in operands[1:3])
        if is_real(kind):
            self.set(operands[0], kind, f"{a} / {b}")
        elif kind[0] == "s":
            self.set(operands[0], kind, f"{b} == 0 ? -1 : (__int128){a} / {b}")
        else:
            self.set(operands[0], kind, f"{b} == 0 ? ~0ull : {a} / {b}")

    def do_rem(self, words, operands):
        kind = self.kind_in(words)
        a, b = (self.value(each, kind) for each in operands[1:3])
        wide = "(__int128)" if kind[0] == "s" else ""
        self.set(operands[0], kind, f"{b} == 0 ? {a} : {wide}{a} % {b}")

    def extreme(self, words, operands, operator, function):
        kind = self.kind_in(words)
        a, b = (self.value(each, kind) for each in operands[1:3])
        if not is_real(kind):
            self.set(operands[0], kind, f"{a} {operator} {b} ? {a} : {b}")
        elif "NaN" in words:
            self.set(operands[0], kind, f"{a} != {a} ? {a} : {b} != {b} ? {b} : {a} {operator} {b} ? {a} : {b}")
        else:
            self.set(operands[0], kind, f"{function}{'f' if kind == 'f32' else ''}({a}, {b})")

    def do_min(self, words, operands):
        self.extreme(words, operands, "<", "fmin")

    def do_max(self, words, operands):
        self.extreme(words, operands, ">", "fmax")

    def do_neg(self, words, operands):
        kind = self.kind_in(words)
        value = self.value(operands[1], kind)
        self.set(operands[0], kind, f"-{value}" if is_real(kind) else f"0 - (uint64_t){value}")

    def do_abs(self, words, operands):
        kind = self.kind_in(words)
        value = self.value(operands[1], kind)
        self.set(operands[0], kind, f"fabs({value})" if is_real(kind) else f"{value} < 0 ? 0 - (uint64_t){value} : {value}")

    def do_not(self, words, operands):
        kind = self.kind_in(words)
        self.set(operands[0], kind, f"~{self.value(operands[1], kind)}")

    def do_cnot(self, words, operands):
        kind = self.kind_in(words)
        self.set(operands[0], kind, f"{self.value(operands[1], kind)} == 0")

    def do_shl(self, words, operands):
        kind = self.kind_in(words)
        bits = 8 * size_of(kind)
        by = self.value(operands[2], "u32")
        self.set(operands[0], kind, f"{by} >= {bits} ? 0 : {self.value(operands[1], kind)} << {by}")

    def do_shr(self, words, operands):
        kind = self.kind_in(words)
        bits = 8 * size_of(kind)
        by, value = self.value(operands[2], "u32"), self.value(operands[1], kind)
        beyond = f"{value} >> {bits - 1}" if kind[0] == "s" else "0"
        self.set(operands[0], kind, f"{by} >= {bits} ? {beyond} : {value} >> {by}")

    def do_shf(self, words, operands):
        low, high, by = (self.value(each, "u32") for each in operands[1:4])
        by = f"({by} & 31)" if "wrap" in words else f"({by} > 32 ? 32 : {by})"
        self.set(operands[0], "b32", f"ptx_funnel({low}, {high}, {by}, {int('l' in words)})")

    def do_lop3(self, words, operands):
        a, b, c = (self.value(each, "u32") for each in operands[1:4])
        self.set(operands[0], "b32", f"ptx_lop3({a}, {b}, {c}, {operands[4]})")

    def do_prmt(self, words, operands):
        a, b, c = (self.value(each, "u32") for each in operands[1:4])
        self.set(operands[0], "b32", f"ptx_permute({a}, {b}, {c})")

    def do_bfe(self, words, operands):
        kind = self.kind_in(words)
        at, length = (self.value(each, "u32") for each in operands[2:4])
        width = 8 * size_of(kind)
        value = self.value(operands[1], f"u{width}")
        self.set(operands[0], kind, f"ptx_extract({value}, {at}, {length}, {width}, {int(kind[0] == 's')})")

    def do_bfi(self, words, operands):
        kind = self.kind_in(words)
        a, b = (self.value(each, kind) for each in operands[1:3])
        at, length = (self.value(each, "u32") for each in operands[3:5])
        self.set(operands[0], kind, f"ptx_insert({a}, {b}, {at}, {length})")

    def do_clz(self, words, operands):
        bits = 8 * size_of(self.kind_in(words))
        value = self.value(operands[1], f"u{bits}")
        self.set(operands[0], "u32", f"{value} == 0 ? {bits} : __builtin_clzll({value}) - {64 - bits}")

    def do_popc(self, words, operands):
        self.set(operands[0], "u32", f"__builtin_popcountll({self.value(operands[1], self.kind_in(words))})")

    def compared(self, words, a, b):
        kind = self.kind_in(words)
        a, b = self.value(a, kind), self.value(b, kind)
        how = words[0]
        if is_real(kind):
            if how == "num":
                return f"({a} == {a} && {b} == {b})"
            if how == "nan":
                return f"({a} != {a} || {b} != {b})"
            if how[-1] == "u" and how[:-1] in COMPARE:
                return f"(({a} != {a} || {b} != {b}) || {a} {COMPARE[how[:-1]]} {b})"
            if how == "ne":
                return f"({a} < {b} || {a} > {b})"
        return f"({a} {COMPARE[how]} {b})"

    def do_setp(self, words, operands):
        holds = self.compared(words, operands[1], operands[2])
        targets = [each.strip() for each in operands[0].split("|")]
        operator = next((BINARY[word] for word in words[1:] if word in ("and", "or", "xor")), None)
        if operator:
            other = self.value(operands[3], "pred")
            self.set(targets[0], "pred", f"{holds} {operator} {other}")
        else:
            self.set(targets[0], "pred", holds)
        if len(targets) > 1:
            raise Unknown("setp with two results")

    def do_selp(self, words, operands):
        kind = self.kind_in(words)
        a, b = (self.value(each, kind) for each in operands[1:3])
        self.set(operands[0], kind, f"{self.value(operands[3], 'pred')} ? {a} : {b}")

    def do_testp(self, words, operands):
        value = self.value(operands[1], self.kind_in(words))
        tests = {"infinite": "isinf", "finite": "isfinite", "notanumber": "isnan", "number": "!isnan",
                 "normal": "isnormal"}
        self.set(operands[0], "pred", f"!!({tests[words[0]]}({value}))" if words[0] != "number" else f"!isnan({value})")

    def do_copysign(self, words, operands):
        kind = self.kind_in(words)
        a, b = (self.value(each, kind) for each in operands[1:3])
        self.set(operands[0], kind, f"copysign({b}, {a})")

    def function(self, words, operands, name):
        kind = self.kind_in(words)
        self.set(operands[0], kind, f"{name}{'f' if kind == 'f32' else ''}({self.value(operands[1], kind)})")

    def do_rcp(self, words, operands):
        kind = self.kind_in(words)
        self.set(operands[0], kind, f"1 / {self.value(operands[1], kind)}")

    def do_rsqrt(self, words, operands):
        kind = self.kind_in(words)
        self.set(operands[0], kind, f"1 / sqrt({self.value(operands[1], kind)})")

    # ---- where to go on

    def do_bra(self, words, operands):
        self.lines.append(f"goto {mangled(operands[0])};")

    def do_ret(self, words, operands):
        self.lines.append("return;")

    def do_exit(self, words, operands):
        self.lines.append("t->calls->leave(t);")

    def do_trap(self, words, operands):
        self.lines.append("__builtin_trap();")

    def do_call(self, words, operands):
        groups = [[part.strip() for part in each.strip("()").split(",") if part.strip()] for each in operands
                  if each.startswith("(")]
        name = next(each for each in operands if not each.startswith("("))
        results, arguments = (groups if operands[0].startswith("(") else [[], *groups]) if groups else ([], [])
        places = [self.places[each] for each in arguments + results]
        self.lines.append(f"{mangled(name)}({', '.join(['t', *places])});")
        self.module.calls.setdefault(self.name, set()).add(name)

    # ---- threads that wait for each other

    def do_bar(self, words, operands):
        if words[0] == "warp":
            self.lines.append(f"t->calls->warp_barrier(t, {self.value(operands[0], 'u32')});")
        elif words[0] in ("sync", "cta") and operands[-1].strip() == "0":
            self.lines.append("t->calls->barrier(t);")
        else:
            raise Unknown("bar." + ".".join(words))
        self.meets = True

    do_barrier = do_bar

    def do_shfl(self, words, operands):
        to, _, valid = operands[0].partition("|")
        mode = words[1][0]
        value, by, clamp, mask = (self.value(each, "u32") for each in operands[1:5])
        self.lines.append(f"{{ uint8_t valid_; uint32_t got_ = t->calls->shuffle(t, '{mode}', {value}, {by}, {clamp}, {mask}, "
                          "&valid_);")
        self.set(to.strip(), "b32", "got_")
        if valid:
            self.set(valid.strip(), "pred", "valid_")
        self.lines.append("}")
        self.meets = True

    def do_mma(self, words, operands):
        factors = {"m16n8k8 tf32 tf32": "PTX_TF32", "m16n8k16 f16 f16": "PTX_F16", "m16n8k16 bf16 bf16": "PTX_BF16"}
        how = f"{words[2]} {words[6]} {words[7]}" if len(words) == 9 else ""
        if how not in factors or [*words[:2], *words[3:6], words[8]] != ["sync", "aligned", "row", "col", "f32", "f32"]:
            raise Unknown("mma." + ".".join(words))
        results, a, b, c = ([part.strip() for part in each.strip("{}").split(",")] for each in operands)
        self.lines.append(f"{{ const uint32_t a_[4] = {{{', '.join(self.value(each, 'u32') for each in a)}}}, "
                          f"b_[2] = {{{', '.join(self.value(each, 'u32') for each in b)}}}; "
                          f"float c_[4] = {{{', '.join(self.value(each, 'f32') for each in c)}}}; "
                          f"t->calls->multiply(t, {factors[how]}, a_, b_, c_);")
        for k, each in enumerate(results):
            self.set(each, "f32", f"c_[{k}]")
        self.lines.append("}")
        self.meets = True

    def do_vote(self, words, operands):
        mask = self.value(operands[2], "u32")
        ballot = f"t->calls->ballot(t, {self.value(operands[1], 'pred')}, {mask})"
        how = words[1] if words[0] == "sync" else words[0]
        tests = {"ballot": ballot, "any": f"{ballot} != 0", "all": f"{ballot} == {mask}"}
        self.set(operands[0], "b32" if how == "ballot" else "pred", tests[how])
        self.meets = True

    def do_membar(self, words, operands):
        pass

    do_fence = do_membar

    def do_atom(self, words, operands):
        """Threads change only where they wait, so one read and one write are enough."""
        kind = self.kind_in(words)
        space = next((word for word in ("global", "shared") if word in words), "")
        value = self.value(operands[2], kind)
        if "cas" in words:
            new = f"old_ == {value} ? {self.value(operands[3], kind)} : old_"
        else:
            whole = {"add": f"old_ + {value}", "exch": value, "min": f"old_ < {value} ? old_ : {value}",
                     "max": f"old_ > {value} ? old_ : {value}", "or": f"old_ | {value}", "and": f"old_ & {value}"}
            new = next(whole[word] for word in words if word in whole)
        size = size_of(kind)
        self.lines.append(f"{{ {TYPES[kind]} old_, new_; uint64_t at_ = {self.place(operands[1], space)};")
        if space == "global":
            self.lines.append(f"t->calls->touch(t, at_, {size});")
        self.lines.append(f"memcpy(&old_, (void*)(uintptr_t)at_, {size}); new_ = {new};"
                          f" memcpy((void*)(uintptr_t)at_, &new_, {size});")
        self.set(operands[0], kind, "old_")
        self.lines.append("}")

    def do_red(self, words, operands):
        self.do_atom(words, ["_", *operands])

    # ---- the body

    def statement(self, text):
        label = re.match(r"([\w$]+):\s*(.*)", text, re.S)
        if label:
            self.lines.append(f"{mangled(label[1])}:;")
            text = re.sub(r"^([{}]\s*)+", "", label[2])
        if not text:
            return
        if not text.startswith("."):
            return self.instruction(text)
        word, _, rest = text.partition(" ")
        if word in (".param", ".local"):
            variable = Variable(rest)
            local = f"m{len(self.locals)}_"
            self.locals.append(f"unsigned char {local}[{variable.size}] __attribute__((aligned({max(variable.align, 8)})));")
            self.places[variable.name] = local
        elif word == ".shared":
            self.module.add_shared(Variable(rest))
        elif word == ".reg":
            for name in rest.split(" ", 1)[1].split(","):
                if "<" not in name:
                    self.register(name.strip())
        elif word not in (".loc", ".pragma", ".branchtargets", ".callprototype"):
            raise Unknown(text)

    def translate(self):
        for text in re.split(r"(?<!\$)(?=(?:^|\n)[\w$]+:)|;", self.body):
            text = " ".join(text.split())
            # Braces of scopes; those of vectors stand behind a comma or an instruction.
            text = re.sub(r"^([{}]\s*)+", "", text)
            text = re.sub(r"\s*\}$", "", text) if text.count("}") > text.count("{") else text
            if text:
                self.statement(text)

    def text(self):
        names = sorted(self.registers.values())
        declared = "uint64_t carry_ = 0;\n" + "".join(f"uint64_t {each} = 0;\n" for each in names) + "\n".join(self.locals)
        return f"{self.head()} {{\n{declared}\n" + "\n".join(self.lines) + "\n}\n"


for each_, operator_ in BINARY.items():
    setattr(Function, "do_" + each_, lambda self, words, operands, o=operator_: self.arithmetic(words, operands, o))
for each_, name_ in FUNCTIONS.items():
    setattr(Function, "do_" + each_, lambda self, words, operands, n=name_: self.function(words, operands, n))


class Module:
    def __init__(self, text):
        self.globals, self.shared, self.functions, self.calls = {}, {}, [], {}
        self.shared_end = 0
        self.read(without_comments(text))
        for each in self.functions:
            each.translate()

    def add_shared(self, variable):
        self.shared_end = -(-self.shared_end // max(variable.align, 1)) * max(variable.align, 1)
        self.shared[variable.name] = self.shared_end
        self.shared_end += variable.size

    def read(self, text):
        at = 0
        while match := re.compile(r"\s*(\.version|\.target|\.address_size|\.file|\.section)[^\n]*").match(text, at):
            at = match.end()
        while at < len(text):
            if match := re.compile(r"\s*(\.visible|\.extern|\.weak|\.internal|\.common)\b").match(text, at):
                at = match.end()
            elif match := re.compile(r"\s*\.(global|const|shared)\s+(.*?);", re.S).match(text, at):
                variable = Variable(re.sub(r"^\s*", "", match[2]))
                if match[1] == "shared":
                    self.add_shared(variable)
                else:
                    self.globals[variable.name] = variable
                at = match.end()
            elif match := re.compile(r"\s*(\.(?:entry|func)\b[^{;]*)([{;])").match(text, at):
                at = match.end()
                if match[2] == ";":
                    continue
                end = self.end_of(text, at)
                self.functions.append(Function(self, match[1], text[at:end]))
                at = end + 1
            elif not text[at:].strip():
                return
            else:
                raise Unknown(text[at:at + 80])

    @staticmethod
    def end_of(text, at):
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        return at - 1

    def global_text(self, variable):
        value = " = " + (variable.value if "{" in variable.value else "{" + variable.value + "}") if variable.value else ""
        kind = TYPES[variable.kind]
        return f"static {kind} {mangled(variable.name)}[{variable.count}] __attribute__((aligned({variable.align}))){value};\n"

    def reaches(self, function, what, seen=()):
        """Does it, or what it calls?"""
        if getattr(function, what):
            return True
        names = self.calls.get(function.name, set())
        return any(each.name in names and each.name not in seen and self.reaches(each, what, (*seen, each.name))
                   for each in self.functions)

    def text(self):
        entries = [each for each in self.functions if each.is_entry]
        parts = ['#include "ptx_machine.h"\n', *(self.global_text(each) for each in self.globals.values())]
        parts += [each.head() + ";\n" for each in self.functions]
        parts += [each.text() for each in self.functions]
        rows = []
        for each in entries:
            offsets = ", ".join(map(str, each.offsets)) or "0"
            sizes = ", ".join(str(parameter.size) for parameter in each.parameters) or "0"
            rows.append(f'{{"{each.name}", {mangled(each.name)}, {len(each.parameters)}, (const int[]){{{offsets}}}, '
                        f"(const int[]){{{sizes}}}, {int(self.reaches(each, 'meets'))}, {int(self.reaches(each, 'polls'))}}}")
        parts.append(f"static const ptx_entry entries[] = {{{', '.join(rows)}}};\n")
        globals_ = [f"{{{mangled(each.name)}, {each.size}}}" for each in self.globals.values()] or ["{0, 0}"]
        parts.append(f"static const ptx_global globals[] = {{{', '.join(globals_)}}};\n")
        parts.append(f"const ptx_code ptx_module = {{entries, {len(entries)}, globals, {len(self.globals)}, {self.shared_end}}};\n")
        return "".join(parts)


def main():
    with open(sys.argv[1], encoding="latin-1") as file:
        text = file.read().split("\0")[0]
    try:
        made = Module(text).text()
    except Unknown as fault:
        sys.exit(f"ptx_to_c.py: unknown: {fault}")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(made)


if __name__ == "__main__":
    main()
