"""Random filters: their statements in StreamIt and, beside it, in Python."""

from model import WORDS, f32

TYPES = ["int", "int", "int", "float", "float", "double", "bit", "boolean"]
ROUND = {"int": "W", "float": "F", "double": ""}  # what Python does to a sum, difference or product
INTS = [0, 1, 2, 3, 5, 7, 10, 31, 32, 100, 255, 1000, 65535, 123456789, 2147483647]
FLOATS = ["0.5", "0.1", "1.0", "2.5", "3.14159", "0.75", "10.0", "1000.25", "0.001", "1e6"]
ZERO = {"int": "0", "bit": "0", "float": "0.0", "double": "0.0", "boolean": "False"}


class Statement:
    """One statement: `text` alone, or the head of a block with `body` (and `other` after else)."""

    def __init__(self, text, python, body=None, other=None):
        self.text, self.python, self.body, self.other = text, python, body, other

    def write(self, indent):
        if self.body is None:
            return [indent + self.text]
        lines = [f"{indent}{self.text} {{".replace("  {", " {")]
        lines += write_all(self.body, indent + "  ")
        if self.other is not None:
            lines += [indent + "} else {", *write_all(self.other, indent + "  ")]
        return [*lines, indent + "}"]

    def write_python(self, indent):
        lines = [indent + line for line in self.python.split("\n")]
        if self.body is not None:
            lines += python_all(self.body, indent + "  ")
        if self.other is not None:
            lines += [indent + "else:", *python_all(self.other, indent + "  ")]
        return lines


def write_all(statements, indent):
    return [line for s in statements for line in s.write(indent)]


def python_all(statements, indent):
    return [line for s in statements for line in s.write_python(indent)] + [indent + "pass"]


class Definition:
    def __init__(self, name, takes, gives, parameters):
        self.name, self.takes, self.gives, self.parameters = name, takes, gives, parameters
        self.pop = self.peek = self.push = 0
        self.first_pop = self.first_peek = self.first_push = 0
        self.fields, self.init, self.work, self.prework, self.functions = [], [], [], None, []
        self.rate_texts, self.fixed, self.anonymous = {}, {}, False
        self.wants = None  # items that the next firing takes, in Python, of a dynamic rate

    def rates(self, pop, peek, push, texts=None):
        parts = [("push", push), ("pop", pop)] + ([("peek", peek)] if peek > pop else [])
        texts = texts or {}
        return "".join(f" {kind} {texts.get(kind, n)}" for kind, n in parts if n)

    def write(self):
        """As a declaration; as an anonymous filter its parameters are captured variables."""
        if self.anonymous:
            return [f"{self.takes}->{self.gives} filter {{", *self.parts(), "};"]
        types = ", ".join(f"{kind} {name}" for kind, name in self.parameters)
        head = f"{self.takes}->{self.gives} filter {self.name}" + (f"({types})" if types else "")
        return [head + " {", *self.parts(), "}", ""]

    def parts(self):
        lines = write_all(self.fields, "  ")
        if self.init:
            lines += ["  init {", *write_all(self.init, "    "), "  }"]
        lines += write_all(self.functions, "  ")
        if self.prework is not None:
            rates = self.rates(self.first_pop, self.first_peek, self.first_push)
            lines += [f"  prework{rates} {{", *write_all(self.prework, "    "), "  }"]
        rates = self.rates(self.pop, self.peek, self.push, self.rate_texts)
        return [*lines, f"  work{rates} {{", *write_all(self.work, "    "), "  }"]

    def python(self):
        lines = ["class Made:", " def __init__(s, arguments, I, O, LINES):"]
        lines += ["  s.I, s.O, s.LINES, s.text = I, O, LINES, ''"]
        lines += [f"  s.{name} = arguments[{i}]" for i, (_, name) in enumerate(self.parameters)]
        lines += [f"  s.fresh = {self.prework is not None}"]
        lines += python_all(self.fields, "  ") + python_all(self.init, "  ")
        lines += [line for f in self.functions for line in f.write_python(" ")]
        if self.wants:
            lines += [" def wants(s):", f"  return {self.wants}"]
        lines += [" def fire(s):", "  I, O = s.I, s.O", "  if s.fresh:", "   s.fresh = False"]
        lines += python_all(self.prework or [], "   ") + ["   return"]
        return "\n".join(lines + python_all(self.work, "  "))

    def make(self, arguments, source, out, lines):
        space = dict(WORDS)
        exec(self.python(), space)  # what bodies.py itself has written
        return space["Made"](arguments, source, out, lines)


class Body:
    """Writes one body. `names`: [(text, python, type, assignable)]; `arrays`: [(text, python,
    type, size)], sizes being powers of two; `peeks`: how many items expressions may peek at."""

    def __init__(self, rng, takes, names, arrays, functions=()):
        self.rng, self.takes, self.names, self.arrays = rng, takes, list(names), list(arrays)
        self.functions, self.procedures, self.peeks, self.count = functions, [], 0, 0
        self.tables = []  # as arrays, but nobody changes them

    def name(self, letter="v"):
        self.count += 1
        return f"{letter}{self.count}"

    # Expressions: (text, python). Whoever uses one puts it in parentheses himself if need be.

    def leaf(self, kind):
        choices = [(n[0], n[1]) for n in self.names if n[2] == kind] * 2
        for text, python, of, size in self.arrays + self.tables:
            if of == kind:
                at = self.rng.randrange(size)
                choices.append((f"{text}[{at}]", f"{python}[{at}]"))
        if kind == self.takes and self.peeks > 0:
            at = self.rng.randrange(self.peeks)
            choices += [(f"peek({at})", f"I.peek({at})")] * 2
        if not choices or self.rng.random() < 0.25:
            return self.literal(kind)
        return self.rng.choice(choices)

    def literal(self, kind):
        if kind == "int":
            value = self.rng.choice(INTS)
            if self.rng.random() < 0.1:
                return "0x80000000", "-2147483648"
            return (f"(-{value})", f"(-{value})") if self.rng.random() < 0.2 else (str(value),) * 2
        if kind == "float":
            text = self.rng.choice(FLOATS)
            return text, repr(f32(float(text)))
        if kind == "double":
            text = self.rng.choice(FLOATS)
            return f"((double){text})", repr(f32(float(text)))
        if kind == "bit":
            return (str(self.rng.randrange(2)),) * 2
        return self.rng.choice([("true", "True"), ("false", "False")])

    def expression(self, kind, depth=3):
        if depth <= 0 or self.rng.random() < 0.15:
            return self.leaf(kind)
        if self.rng.random() < 0.08:
            c, a, b = self.expression("boolean", 1), *(self.expression(kind, depth - 1) for _ in "ab")
            return f"({c[0]} ? {a[0]} : {b[0]})", f"({a[1]} if {c[1]} else {b[1]})"
        if self.rng.random() < 0.12:
            call = self.call(kind, depth)
            if call:
                return call
        return getattr(self, "some_" + kind)(depth)

    def call(self, kind, depth):
        fitting = [f for f in self.functions if f[1] == kind]
        if not fitting:
            return None
        name, _, kinds = self.rng.choice(fitting)
        given = [self.expression(k, depth - 2) for k in kinds]
        return f"{name}({', '.join(g[0] for g in given)})", f"s.{name}({', '.join(g[1] for g in given)})"

    def some_int(self, depth):
        a = self.expression("int", depth - 1)
        way = self.rng.randrange(17)
        if way < 6:
            op, b = self.rng.choice("+-*+-*&|^"), self.expression("int", depth - 1)
            python = f"({a[1]} {op} {b[1]})"
            return f"({a[0]} {op} {b[0]})", python if op in "&|^" else "W" + python
        if way < 8:
            op, word = self.rng.choice([("/", "DIV"), ("%", "REM")])
            b = self.divisor(depth - 1)
            return f"({a[0]} {op} {b[0]})", f"{word}({a[1]}, {b[1]})"
        if way < 10:
            b = self.expression("int", depth - 2)
            if self.rng.random() < 0.5:
                return f"({a[0]} << {b[0]})", f"W({a[1]} << ({b[1]} & 31))"
            return f"({a[0]} >> {b[0]})", f"({a[1]} >> ({b[1]} & 31))"
        if way == 10:
            b = self.expression(self.rng.choice(["float", "double"]), depth - 1)
            return f"((int)({b[0]}))", f"INT({b[1]})"
        if way == 11:
            return (f"(-({a[0]}))", f"W(-({a[1]}))") if self.rng.random() < 0.5 else (
                f"(~({a[0]}))", f"(~({a[1]}))")  # fmt: skip
        if way == 12:
            b = self.expression("bit", depth - 1)
            return f"({a[0]} + {b[0]})", f"W({a[1]} + {b[1]})"
        if way == 13:
            b = self.leaf("int")
            return f"({b[0]} != 0 ? {a[0]} / {b[0]} : {a[0]})", f"(DIV({a[1]}, {b[1]}) if {b[1]} != 0 else {a[1]})"
        if way == 14:
            return self.guarded_element("int", a) or a
        return self.element("int", a) or a

    def guarded_element(self, kind, other):
        """One at an index that only the condition keeps within bounds."""
        fitting = [a for a in self.arrays + self.tables if a[2] == kind]
        if not fitting:
            return None
        text, python, _, size = self.rng.choice(fitting)
        leaf = self.leaf("int")
        if not leaf[0][0].isalpha():  # it may be constant, but not out of bounds then
            return None
        at = [f"(({part} & {4 * size - 1}) - {size})" for part in leaf]
        return (f"({at[0]} >= 0 && {at[0]} < {size} ? {text}[{at[0]}] : {other[0]})",
                f"({python}[{at[1]}] if 0 <= {at[1]} < {size} else {other[1]})")  # fmt: skip

    def divisor(self, depth):
        if self.rng.random() < 0.5:
            value = self.rng.choice([1, 2, 3, 5, 7, 8, 10, 16, 641, 1000003, -1, -2, -3, -8])
            return (f"({value})",) * 2
        b = self.expression("int", depth)
        return f"(({b[0]} & 15) + 1)", f"(({b[1]} & 15) + 1)"

    def element(self, kind, index):
        fitting = [a for a in self.arrays + self.tables if a[2] == kind]
        if not fitting:
            return None
        text, python, _, size = self.rng.choice(fitting)
        return f"{text}[{index[0]} & {size - 1}]", f"{python}[{index[1]} & {size - 1}]"

    def some_float(self, depth):
        a = self.expression("float", depth - 1)
        way = self.rng.randrange(13)
        if way < 5:
            op, b = self.rng.choice("+-*"), self.expression("float", depth - 1)
            return f"({a[0]} {op} {b[0]})", f"F({a[1]} {op} {b[1]})"
        if way == 10:
            d = self.expression("double", depth - 1)
            return f"((float)({d[0]}))", f"F({d[1]})"
        if way == 11:
            return self.guarded_element("float", a) or a
        if way == 12:
            return f"sqrt({a[0]})", f"ROOT({a[1]})"
        b = self.expression("int", depth - 1)
        if way == 5:
            d = self.expression("float", depth - 1)
            return f"({a[0]} / {d[0]})", f"FDIV({a[1]}, {d[1]})"
        if way == 6:
            return f"((float)({b[0]}))", f"F({b[1]})"
        if way == 7:
            op = self.rng.choice("+-*")
            return f"({b[0]} {op} {a[0]})", f"F(F({b[1]}) {op} {a[1]})"
        if way == 8:
            return f"(-({a[0]}))", f"(-({a[1]}))"
        return self.element("float", b) or a

    def some_double(self, depth):
        a = self.expression("double", depth - 1)
        way = self.rng.randrange(9)
        if way < 4:
            op, b = self.rng.choice("+-*"), self.expression("double", depth - 1)
            return f"({a[0]} {op} {b[0]})", f"({a[1]} {op} {b[1]})"
        b = self.expression("int" if way < 7 else "float", depth - 1)
        if way == 4:
            d = self.expression("double", depth - 1)
            return f"({a[0]} / {d[0]})", f"DDIV({a[1]}, {d[1]})"
        if way == 5:
            return self.element("double", b) or a
        if way in (6, 7):
            return f"((double)({b[0]}))", f"float({b[1]})"
        return f"(-({a[0]}))", f"(-({a[1]}))"

    def some_bit(self, depth):
        a = self.expression("bit", depth - 1)
        if self.rng.random() < 0.4:
            b = self.expression("int", depth - 1)
            return f"((bit)({b[0]} & 1))", f"({b[1]} & 1)"
        op, b = self.rng.choice("&|^"), self.expression("bit", depth - 1)
        return f"({a[0]} {op} {b[0]})", f"({a[1]} {op} {b[1]})"

    def some_boolean(self, depth):
        if self.rng.random() < 0.3:
            a, b = (self.expression("boolean", depth - 1) for _ in "ab")
            op = self.rng.choice([("&&", "and"), ("||", "or"), ("&", "&"), ("|", "|"), ("^", "^")])
            return f"({a[0]} {op[0]} {b[0]})", f"({a[1]} {op[1]} {b[1]})"
        if self.rng.random() < 0.15:
            a = self.expression("boolean", depth - 1)
            return f"(!({a[0]}))", f"(not ({a[1]}))"
        kind, op = self.rng.choice(["int", "int", "float", "double"]), self.rng.choice("< <= > >= == !=".split())
        a, b = (self.expression(kind, depth - 1) for _ in "ab")
        return f"({a[0]} {op} {b[0]})", f"({a[1]} {op} {b[1]})"

    # Statements that leave the tapes alone.

    def declare(self, kind, value, out):
        name = self.name()
        out.append(Statement(f"{kind} {name} = {value[0]};", f"{name} = {value[1]}"))
        self.names.append((name, name, kind, True))

    def assignment(self):
        targets = [n for n in self.names if n[3]]
        if self.arrays and (not targets or self.rng.random() < 0.3):
            return self.element_assignment()
        if targets:
            text, python, kind, _ = self.rng.choice(targets)
            if kind == "int" and self.rng.random() < 0.15:
                return Statement(f"{text}++;", f"{python} = W({python} + 1)")
            if kind in ROUND and self.rng.random() < 0.3:
                op, word = self.rng.choice("+-*"), ROUND[kind]
                e = self.expression(kind, 2)
                return Statement(f"{text} {op}= {e[0]};", f"{python} = {word}({python} {op} ({e[1]}))")
        else:
            return None
        e = self.expression(kind, 3)
        return Statement(f"{text} = {e[0]};", f"{python} = {e[1]}")

    def element_assignment(self):
        text, python, kind, size = self.rng.choice(self.arrays)
        at, e = self.expression("int", 2), self.expression(kind)
        # Python would evaluate the right side before the index.
        first = f"at = {at[1]} & {size - 1}"
        if kind in ROUND and self.rng.random() < 0.3:
            op, word = self.rng.choice("+-*"), ROUND[kind]
            return Statement(f"{text}[{at[0]} & {size - 1}] {op}= {e[0]};",
                             f"{first}\n{python}[at] = {word}({python}[at] {op} ({e[1]}))")  # fmt: skip
        return Statement(f"{text}[{at[0]} & {size - 1}] = {e[0]};", f"{first}\n{python}[at] = {e[1]}")

    def procedure_call(self):
        """A call that changes an array, or none."""
        fitting = [(p, a) for p in self.procedures for a in self.arrays if a[2:] == p[1:]]
        if not fitting:
            return []
        (name, *_), array = self.rng.choice(fitting)
        e = self.expression("int", 2)
        return [Statement(f"{name}({array[0]}, {e[0]});", f"s.{name}({array[1]}, {e[1]})")]

    def scoped(self, make):
        names, arrays = list(self.names), list(self.arrays)
        body = make()
        self.names, self.arrays = names, arrays
        return body

    def quiet_statements(self, count, depth):
        return [s for _ in range(count) for s in self.quiet_statement(depth)]

    def quiet_statement(self, depth):
        out, way = [], self.rng.random()
        if self.procedures and self.rng.random() < 0.15:
            return self.procedure_call()
        if depth <= 0 or way < 0.45:
            made = self.assignment()
            return [made] if made else []
        if way < 0.6:
            kind = self.rng.choice(TYPES)
            self.declare(kind, self.expression(kind), out)
        elif way < 0.68:
            kind, size, name = self.rng.choice(list(ROUND)), self.rng.choice([2, 4, 8]), self.name("a")
            out.append(Statement(f"{kind}[{size}] {name};", f"{name} = [{ZERO[kind]}] * {size}"))
            self.arrays.append((name, name, kind, size))
        elif way < 0.72 and len(self.arrays) > 1:
            a, b = self.rng.sample(self.arrays, 2)
            if a[2:] == b[2:]:
                out.append(Statement(f"{a[0]} = {b[0]};", f"{a[1]}[:] = {b[1]}"))
        elif way < 0.85:
            c = self.expression("boolean", 2)
            inner = self.scoped(lambda: self.quiet_statements(2, depth - 1))
            other = None
            if self.rng.random() < 0.5:
                other = self.scoped(lambda: self.quiet_statements(2, depth - 1))
            out.append(Statement(f"if ({c[0]})", f"if {c[1]}:", inner, other))
        elif way < 0.95:
            out.append(self.loop(self.rng.randrange(1, 6), lambda _: self.quiet_statements(2, depth - 1)))
        else:
            out += self.while_loop(depth)
        return out

    def loop(self, count, make, down=False):
        name = self.name("i")
        names, arrays = list(self.names), list(self.arrays)
        self.names.append((name, name, "int", False))
        body = make(name)
        self.names, self.arrays = names, arrays
        if down:
            return Statement(f"for (int {name} = {count - 1}; {name} >= 0; {name}--)",
                             f"for {name} in range({count - 1}, -1, -1):", body)  # fmt: skip
        return Statement(
            f"for (int {name} = 0; {name} < {count}; {name}++)", f"for {name} in range({count}):", body
        )

    def while_loop(self, depth):
        left, c = self.name("w"), self.expression("boolean", 2)
        most = self.rng.randrange(2, 6)
        inner = self.scoped(lambda: self.quiet_statements(1, depth - 1))
        inner.insert(0, Statement(f"{left}--;", f"{left} -= 1"))
        return [
            Statement(f"int {left} = {most};", f"{left} = {most}"),
            Statement(f"while ({left} > 0 && {c[0]})", f"while {left} > 0 and {c[1]}:", inner),
        ]

    # Statements with tape operations: they pop, push and peek exactly as often as they have to.

    def exact(self, pop, peek, push, gives, depth=2):
        out = []
        while pop or push:
            self.peeks = max(peek, pop)
            before = pop
            pop, push = self.step(out, pop, self.peeks, push, gives, depth)
            peek = max(peek, before) - (before - pop)
        self.peeks = 0
        return out

    def step(self, out, pop, peek, push, gives, depth):
        way = self.rng.random()
        if way < 0.25:
            out += self.quiet_statements(1, 2)
        elif way < 0.4 and pop:
            self.peeks = 0
            if self.rng.random() < 0.1:
                out.append(Statement("pop();", "I.pop()"))
            else:
                self.declare(self.takes, ("pop()", "I.pop()"), out)
            return pop - 1, push
        elif way < 0.6 and push:
            return self.push(out, pop, push, gives)
        elif way < 0.75 and push:
            return self.looped(out, pop, peek, push, gives)
        elif way < 0.8 and pop > 1:
            return self.gathered(out, pop), push
        elif way < 0.9 and depth > 0:
            p, q = self.rng.randint(0, pop), self.rng.randint(0, push)
            c = self.expression("boolean", 2)
            a, b = (self.scoped(lambda: self.exact(p, peek, q, gives, depth - 1)) for _ in "ab")
            out.append(Statement(f"if ({c[0]})", f"if {c[1]}:", a, b))
            return pop - p, push - q
        return pop, push

    def push(self, out, pop, push, gives):
        if pop and self.takes == gives and gives in ROUND and self.rng.random() < 0.6:
            self.peeks = 0  # their places move while the expression pops
            a, word = self.expression(gives, 2), ROUND[gives]
            op = self.rng.choice("+-*")
            if pop > 1 and self.rng.random() < 0.4:
                out.append(Statement(f"push({a[0]} {op} (pop() - pop()));",
                                     f"O.push({word}({a[1]} {op} {word}(I.pop() - I.pop())))"))  # fmt: skip
                return pop - 2, push - 1
            out.append(Statement(f"push(pop() {op} {a[0]});", f"O.push({word}(I.pop() {op} {a[1]}))"))
            return pop - 1, push - 1
        e = self.expression(gives)
        out.append(Statement(f"push({e[0]});", f"O.push({e[1]})"))
        return pop, push - 1

    def looped(self, out, pop, peek, push, gives):
        count = self.rng.randint(1, push)
        pops = pop >= count and self.rng.random() < 0.5
        self.peeks = peek - count + 1 if pops else peek

        def inside(index):
            body = []
            if not pops and 0 < count <= peek and self.rng.random() < 0.6:
                self.declare(self.takes, (f"peek({index})", f"I.peek({index})"), body)
            body += self.quiet_statements(self.rng.randrange(2), 1)
            if pops:
                self.peeks = 0
                self.declare(self.takes, ("pop()", "I.pop()"), body)
            e = self.expression(gives)
            return [*body, Statement(f"push({e[0]});", f"O.push({e[1]})")]

        out.append(self.loop(count, inside, self.rng.random() < 0.3))
        return pop - count * pops, push - count

    def gathered(self, out, pop):
        """Items into a local array."""
        size = 2
        while size * 2 <= pop and self.rng.random() < 0.7:
            size *= 2
        name, i = self.name("a"), self.name("i")
        out.append(Statement(f"{self.takes}[{size}] {name};", f"{name} = [{ZERO[self.takes]}] * {size}"))
        body = [Statement(f"{name}[{i}] = pop();", f"{name}[{i}] = I.pop()")]
        out.append(Statement(f"for (int {i} = 0; {i} < {size}; {i}++)", f"for {i} in range({size}):", body))
        self.arrays.append((name, name, self.takes, size))
        return pop - size


def add_fields(rng, d, body):
    for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
        kind, name = rng.choice(TYPES), body.name("f")
        value = body.literal(kind)
        d.fields.append(Statement(f"{kind} {name} = {value[0]};", f"s.{name} = {value[1]}"))
        body.names.append((name, f"s.{name}", kind, True))
    if rng.random() < 0.3:
        kind, size, name = rng.choice(["int", "float"]), rng.choice([2, 4, 8, 16]), body.name("f")
        d.fields.append(Statement(f"{kind}[{size}] {name};", f"s.{name} = [{ZERO[kind]}] * {size}"))
        body.arrays.append((name, f"s.{name}", kind, size))

        def fill(index):
            e = body.expression(kind, 2)
            return [Statement(f"{name}[{index}] = {e[0]};", f"s.{name}[{index}] = {e[1]}")]

        d.init.append(body.loop(size, fill))


def add_function(rng, d, body):
    name, kind = body.name("g"), rng.choice(["int", "int", "float", "double", "boolean"])
    kinds = [rng.choice(["int", "float", "double", "boolean"]) for _ in range(rng.randrange(3))]
    inner = Body(rng, "void", body.names, body.arrays)
    inner.tables = body.tables
    inner.count = body.count + 100
    names = [inner.name("p") for _ in kinds]
    inner.names += [(n, n, k, True) for n, k in zip(names, kinds)]
    lines = inner.quiet_statements(rng.randrange(3), 2)
    e = inner.expression(kind)
    lines.append(Statement(f"return {e[0]};", f"return {e[1]}"))
    head = ", ".join(f"{k} {n}" for k, n in zip(kinds, names))
    d.functions.append(Statement(f"{kind} {name}({head})", f"def {name}({', '.join(['s', *names])}):", lines))
    body.functions = [*body.functions, (name, kind, kinds)]


def add_procedure(rng, d, body):
    """A function that changes the array it is given."""
    name, kind, size = body.name("g"), rng.choice(["int", "float"]), rng.choice([2, 4, 8])
    inner = Body(rng, "void", [*body.names, ("by", "by", "int", True)], [*body.arrays, ("into", "into", kind, size)])
    inner.count = body.count + 100
    lines = [*inner.quiet_statements(1, 2), inner.element_assignment(), *inner.quiet_statements(1, 1)]
    head = f"void {name}({kind}[{size}] into, int by)"
    d.functions.append(Statement(head, f"def {name}(s, into, by):", lines))
    body.procedures.append((name, kind, size))


def random_filter(rng, name, takes, gives, pop, push, plain=False):
    """A filter of these rates. `plain`: neither peeks nor has a prework."""
    parameters = [(rng.choice(["int", "int", "float"]), f"k{i}") for i in range(rng.choice([0, 0, 1, 2]))]
    d = Definition(name, takes, gives, parameters)
    body = Body(rng, takes, [(n, f"s.{n}", k, False) for k, n in parameters], [])
    d.pop, d.push = pop, push
    d.peek = pop + rng.randrange(1, 8) if pop and not plain and rng.random() < 0.3 else pop
    add_fields(rng, d, body)
    if rng.random() < 0.3:
        add_function(rng, d, body)
    if rng.random() < 0.25:
        add_procedure(rng, d, body)
    d.anonymous = rng.random() < 0.3
    names, arrays = list(body.names), list(body.arrays)
    if not plain and rng.random() < 0.12:
        d.first_pop = rng.randrange(pop + 2) if pop else 0
        d.first_peek = d.first_pop + rng.randrange(3) if pop else 0
        d.first_push = rng.randrange(push + 3) if push else 0
        d.prework = body.exact(d.first_pop, d.first_peek, d.first_push, gives)
        body.names, body.arrays = names, arrays
    d.work = body.exact(pop, d.peek, push, gives)
    if pop and rng.random() < 0.3:
        d.parameters.append(("int", "rate"))
        d.fixed["rate"] = pop
        d.rate_texts["pop"] = "rate"
    return d


def add_tables(rng, d, body):
    """Arrays that `init` fills and nobody changes."""
    for _ in range(rng.choice([0, 1, 1, 2])):
        kind, size, name = rng.choice(list(ROUND)), rng.choice([4, 16, 64]), body.name("t")
        d.fields.append(Statement(f"{kind}[{size}] {name};", f"s.{name} = [{ZERO[kind]}] * {size}"))

        def fill(index):
            e = body.expression(kind, 2)
            return [Statement(f"{name}[{index}] = {e[0]};", f"s.{name}[{index}] = {e[1]}")]

        d.init.append(body.loop(size, fill))
        body.tables.append((name, f"s.{name}", kind, size))


def stateless_filter(rng, name, takes, gives, pop, push):
    """A filter that changes nothing of its own: several of its firings may be computed at once."""
    parameters = [(rng.choice(["int", "float"]), f"k{i}") for i in range(rng.choice([0, 0, 1, 2]))]
    d = Definition(name, takes, gives, parameters)
    body = Body(rng, takes, [(n, f"s.{n}", k, False) for k, n in parameters], [])
    d.pop, d.push = pop, push
    d.peek = pop + rng.randrange(1, 9) if rng.random() < 0.4 else pop
    add_tables(rng, d, body)
    for _ in range(rng.choice([0, 0, 1, 2])):
        add_function(rng, d, body)
    d.work = body.exact(pop, d.peek, push, gives)
    return d


def moving(rng, name, kind):
    """A sum, difference or weighted sum over a window."""
    d = Definition(name, kind, kind, [("int", "n")])
    size, word = rng.randrange(2, 12), ROUND[kind]
    op = rng.choice("+-")
    d.pop, d.peek, d.push = 1, size, 1
    d.rate_texts["peek"] = "n"
    step = Statement(f"sum {op}= peek(i);", f"sum = {word}(sum {op} I.peek(i))")
    d.work = [
        Statement(f"{kind} sum = 0;", f"sum = {ZERO[kind]}"),
        Statement("for (int i = 0; i < n; i++)", "for i in range(s.n):", [step]),
        Statement("pop();", "I.pop()"),
        Statement("push(sum);", "O.push(sum)"),
    ]
    d.fixed["n"] = size
    return d


def varying(rng, name, kind):
    """Takes groups of items and repeats the last one of each, now more of them and now fewer."""
    d = Definition(name, kind, kind, [])
    d.fields = [Statement("int n = 0;", "s.n = 0")]
    d.pop = d.push = 1
    most = rng.randrange(2, 7)
    more = f"{rng.randrange(1, 5)} * n % {most}"
    if rng.random() < 0.7:
        d.rate_texts["pop"] = rng.choice(["*", "[1, *]", f"[1, {most}]", f"[0, 2, {most + 3}]"])
        d.wants = "1 + " + more.replace("n", "s.n")
    else:
        most, more = 1, "0"
    last = f"{kind} last = "
    d.work = [Statement("int more = " + more + ";", "more = " + more.replace("n", "s.n"))]
    if d.wants and rng.random() < 0.4:
        d.peek, d.rate_texts["peek"] = 2, rng.choice(["*", f"[0, {most}]", f"{most}"])
        d.work.append(Statement(last + "peek(more);", "last = I.peek(more)"))
        drop = Statement("pop();", "I.pop()")
        d.work.append(Statement("for (int i = 0; i <= more; i++)", "for i in range(more + 1):", [drop]))
    else:
        d.work.append(Statement(last + "pop();", "last = I.pop()"))
        take = Statement("last = pop();", "last = I.pop()")
        d.work.append(Statement("for (int i = 0; i < more; i++)", "for i in range(more):", [take]))
    give = Statement("push(last);", "O.push(last)")
    if not d.wants or rng.random() < 0.6:
        size = rng.randrange(2, 6)
        d.rate_texts["push"] = rng.choice(["*", f"[0, {size - 1}]"])
        head = f"for (int i = 0; i < (n + {most}) % {size}; i++)", f"for i in range((s.n + {most}) % {size}):"
        d.work.append(Statement(*head, [give]))
    else:
        d.work.append(give)
    d.work.append(Statement("n++;", "s.n = W(s.n + 1)"))
    return d


def counter(rng, name, gives):
    d = Definition(name, "void", gives, [])
    d.push = rng.choice([1, 1, 2, 3])
    body = Body(rng, "void", [("n", "s.n", "int", False)], [])
    d.fields = [Statement("int n = 0;", "s.n = 0")]
    add_fields(rng, d, body)
    d.work = body.exact(0, 0, d.push, gives)
    d.work.append(Statement("n++;", "s.n = W(s.n + 1)"))
    return d


def sink(rng, name, takes):
    d = Definition(name, takes, "void", [])
    d.pop = rng.choice([1, 1, 2, 3])
    text = "DTEXT" if takes == "double" else "TEXT"
    one = Statement("println(pop());", f"s.LINES.append({text}(I.pop()))")
    if d.pop > 1 and rng.random() < 0.5:
        d.work = [Statement(f"for (int i = 0; i < {d.pop}; i++)", f"for i in range({d.pop}):", [one])]
    else:
        d.work = [one] * d.pop
    return d
