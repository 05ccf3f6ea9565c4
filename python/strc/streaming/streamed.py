"""From a program over whole sequences to one over streams."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from ..errors import ImportFailure
from ..ir import Instruction, Origin, Program
from ..passes import eliminate_dead
from ..source.floats import StreamFilter
from .axis import gone_along, is_guessed, times_of
from .builder import Builder, Refused
from .clock import Clock
from .resampling import time_alone
from .rules import by_rule
from .rules.attention import is_over_time, over_time
from .rules.banded import summed
from .layout import NoBand
from .pairs import SOFT, Pairs
from .scores import Operand, Scores
from .slices import behind_windows, with_windows
from .terms import Products, Step, products_of
from .timing import from_its_first_frame, whole
from .unrolled import Loop, loops_of
from .values import Culprit, NotStreamable, Stored, Timed, Value
from .written import with_whole_tensors


@dataclass(frozen=True)
class End:
    """An input or a result of a program: a stream of frames of `size` numbers.

    In a steady state there are `frames` of them, but a result gives none for the first `late`; if that is negative it begins with so many.
    `axis` is the dimension of time in the model.
    """

    size: int
    frames: int
    axis: int
    late: int = 0

    def about(self) -> str:
        count = "a" if self.frames == 1 else str(self.frames)
        if self.size == 1:
            return "one number" if self.frames == 1 else f"{count} numbers"
        return f"{count} frame{'s' if self.frames > 1 else ''} of {self.size} numbers"


@dataclass(frozen=True)
class Streamed:
    """A program that runs for ever: `program` is over floats.

    The model's last frame comes when there were `latency` more frames of the input (of that with most of them) than the model has got.
    """

    program: Program
    inputs: tuple[End, ...]
    results: tuple[End, ...]
    clocks: tuple[Clock, ...]  # of the results: items are those of the finest input
    period: int  # items of a steady state
    latency: int
    written: dict[str, StreamFilter]  # filters that are the program's own, by operator
    context: int | None = None  # time steps that attention goes back, other than in the model
    is_guess: bool = False  # nobody has told which dimension counts time

    def about(self) -> list[str]:
        """Comments for who uses the program."""
        (x, *more), (y, *others) = self.inputs, self.results
        if not more and not others and y.frames == 1:
            one = "A number" if x.size == 1 else f"A frame of {x.size} numbers"
            for_each = "each" if x.frames == 1 else f"{x.frames} of them"
            lines = [f"// {one} for each time step; for {for_each} {y.about()} comes out."]
        else:
            lines = [f"// For {listed(self.inputs)} that come{'' if more or x.frames > 1 else 's'} in"]
            lines[0] += f" {listed(self.results)} come{'' if others or y.frames > 1 else 's'} out."
        ends = [f"an {option} for each {what}" for option, what, all in (("--in", "input", self.inputs), ("--out", "result", self.results)) if len(all) > 1]
        if ends:
            lines.append(f"// Files: {' and '.join(ends)}, in order.")
        if self.is_guess:
            lines.append(f"// Time is dimension {x.axis} of the input: no layer goes along any, so that is a guess; --time DIM says another.")
        if self.latency:
            lines.append(f"// Latency: {samples(self.latency)}.")
        if self.context:
            lines.append(f"// Attention goes back {samples(self.context)}, each one's own among them.".replace("sample", "time step"))
        return lines


def listed(ends: tuple[End, ...]) -> str:
    return " and ".join(end.about() for end in ends)


def not_frames(value: Products | Pairs) -> NotStreamable:
    assert value.why
    return value.why


def layer_name(instruction: Instruction) -> str:
    place = instruction.origin.place
    return f"{place.module or 'the model itself'} ({place.class_name or instruction.op})"


Known = Operand | Pairs | tuple[Value, ...]  # what a value of the model is in the stream


class Streamer:
    """Reads a program in order; `run` is the way in. `axes` are the dimensions of time of its inputs."""

    def __init__(
        self, program: Program, tensors: dict[str, torch.Tensor], axes: tuple[int, ...], latency: int, context: int | None,
        loops: Sequence[Loop],
    ):
        self.program = program
        self.build = Builder(program, tensors, context)
        self.build.loops = loops
        self.values: dict[int, Known] = {}
        self.pairs: dict[int, Pairs] = {}  # what has a value for each pair of time steps, whether or not it is scores, too
        self.products: dict[int, Products] = {}  # what is products of queries with stored rows, whether or not it is a stream of frames, too
        self.shapes = program.shapes
        self.allowed = latency
        shapes = [self.shapes[number] for number in program.inputs]
        steps = [shape[axis] for shape, axis in zip(shapes, axes)]
        self.length = math.lcm(*steps)  # items of the finest input
        self.inputs: list[Timed] = []
        for number, shape, axis, count in zip(program.inputs, shapes, axes, steps):
            clock = Clock(self.length // count, (0,), (0,))
            self.inputs.append(Timed(number, shape, axis, clock))
            self.build.sizes[number], self.build.rates[number] = (self.inputs[-1].size,), clock.rate

    def run(self) -> Streamed:
        self.values.update((given.var, given) for given in self.inputs)
        for instruction in self.program.instructions:
            self.values[instruction.var] = self.instruction(instruction)
        results = [self.result(number) for number in self.program.results]
        self.check(results)
        given = [from_its_first_frame(self.build, result) for result in results]
        made = replace(
            self.program, instructions=self.build.instructions, results=tuple(result.var for result in given), sizes=self.build.sizes,
            rates=self.build.rates, shapes={},
        )
        made = eliminate_dead(made)
        used = {*made.inputs, *(instruction.var for instruction in made.instructions)}
        period = math.lcm(*(self.build.rates[var].denominator for var in used))
        waits = [math.ceil((x.offset - x.early + x.steps) / x.clock.rate) - self.length for x in results]
        ends = [End(x.size, int(period * x.clock.rate), x.axis, x.offset - x.early) for x in (*self.inputs, *results)]
        count = len(self.inputs)
        clocks = tuple(x.clock for x in results)
        return Streamed(
            made, tuple(ends[:count]), tuple(ends[count:]), clocks, period, max(0, *waits), self.build.written, self.build.context
        )

    def result(self, number: int) -> Timed:
        result = self.values[number]
        origin = next((i.origin for i in self.program.instructions if i.var == number), Origin())
        if isinstance(result, (Products, Pairs)):
            raise not_frames(result)
        if isinstance(result, Scores):
            text = "a result is a table of all time steps with all, which a stream has not; what is returned has to have one time step after the other"
            raise NotStreamable(text, origin.place)
        if not isinstance(result, Timed):
            raise ImportFailure("a result of the model does not depend on its input")
        self.build.origin = origin
        try:
            return whole(self.build, time_alone(self.build, result))
        except Refused as reason:
            raise NotStreamable(f"a result: {reason}", origin.place) from None

    def instruction(self, instruction: Instruction) -> Known:
        if instruction.op == "const":
            name = str(instruction.positional[0])
            return Stored(name, tuple(self.build.tensors[name].shape))
        args = [self.values[number] for number in instruction.args]
        if len(args) == 1 and isinstance(args[0], tuple):
            return self.element(instruction, args[0])
        self.build.origin, self.build.shape = instruction.origin, self.shapes[instruction.var]
        products, pairs = self.products_of(instruction, args), self.pairs_of(instruction, args)
        if products:
            self.products[instruction.var] = products
        try:
            made = self.streamed(instruction, args)
        except Refused as reason:
            refusal = NotStreamable(f"{layer_name(instruction)}: {reason}", instruction.origin.place)
        except NotStreamable as reason:
            refusal = reason
        else:
            if pairs and isinstance(made, Scores):
                self.pairs[instruction.var] = pairs
            return made
        if pairs:
            return self.in_a_band(instruction, replace(pairs, why=pairs.why or refusal))
        if products is None:
            raise refusal
        self.products[instruction.var] = replace(products, why=products.why or refusal)
        return self.products[instruction.var]

    def in_a_band(self, instruction: Instruction, pairs: Pairs) -> Operand | Pairs:
        """What is no scores any more: sums over time steps are those of a band, and anything else waits for such. Raises `NotStreamable`."""
        try:
            if pairs.sums_over and instruction.op not in SOFT:
                return self.blamed(instruction, summed(self.build, pairs))
        except NoBand:
            raise not_frames(pairs) from None
        except Refused as reason:
            raise NotStreamable(f"{layer_name(instruction)}: {reason}", instruction.origin.place) from None
        self.pairs[instruction.var] = pairs
        return pairs

    def pairs_of(self, instruction: Instruction, args: Sequence[Known]) -> Pairs | None:
        """What an operator makes of values for each pair of time steps, or such of queries and keys."""
        known = [number in self.pairs for number in instruction.args]
        if not any(known) and not (instruction.op == "matmul" and is_over_time(instruction, args)):
            return None
        given = [self.pairs.get(number) or self.beside_pairs(number, arg) for number, arg in zip(instruction.args, args)]
        operands = [one for one in given if isinstance(one, (Pairs, Products, Timed, Stored))]
        if len(operands) < len(given):
            return None
        why = next((one.why for one in operands if isinstance(one, Pairs) and one.why), None)
        return Pairs(instruction, self.build.shape, tuple(operands), self.build.tensors, self.build.context, why)

    def beside_pairs(self, number: int, arg: Known) -> Known:
        """An operand beside pairs: products of queries with stored rows rather than the frames that these may be, too."""
        return self.products.get(number, arg) if self.shapes[number][-1:] != (1,) else arg

    def streamed(self, instruction: Instruction, args: Sequence[Known]) -> Operand | tuple[Value, ...]:
        """What an operator gives in the stream. Raises `Refused` or `NotStreamable`."""
        if any(isinstance(arg, Scores) for arg in args) and instruction.op in ("add", "sub"):
            args = [self.products.get(number, arg) for number, arg in zip(instruction.args, args)]
        for arg in args:
            if isinstance(arg, Pairs) or isinstance(arg, Products) and not any(isinstance(other, Scores) for other in args):
                raise not_frames(arg)
        if is_over_time(instruction, args):
            operands = [self.ready(arg) for arg in args if not isinstance(arg, (tuple, Pairs))]
            scores = over_time(self.build, instruction, operands)
            return self.blamed(instruction, scores) if isinstance(scores, Timed) else scores
        made = by_rule(self.build, instruction, [arg for arg in args if isinstance(arg, (Timed, Stored))])
        return self.blamed(instruction, made) if isinstance(made, Timed) else made

    def products_of(self, instruction: Instruction, args: Sequence[Known]) -> Products | None:
        """The products of queries with stored rows that an operator makes, or moves."""
        given = [self.products.get(number) for number in instruction.args]
        if sum(one is not None for one in given) == 1:
            (before,) = filter(None, given)
            if not all(one or isinstance(arg, Stored) for one, arg in zip(given, args)):
                return None
            stored = [self.build.tensors[arg.name] if isinstance(arg, Stored) else None for arg in args]
            return before.after(Step(instruction, self.build.shape, tuple(stored)))
        return products_of(self.build, instruction, args) if not any(given) else None

    def ready(self, value: Operand) -> Operand:
        return whole(self.build, time_alone(self.build, value)) if isinstance(value, Timed) else value

    def element(self, instruction: Instruction, whole: tuple[Value, ...]) -> Value:
        index = instruction.positional[0]
        assert isinstance(index, int)
        if index >= len(whole):
            text = f"{layer_name(instruction)}: the state behind the last step is no result of a stream, which has no last step"
            raise NotStreamable(text, instruction.origin.place)
        return whole[index]

    def blamed(self, instruction: Instruction, made: Timed) -> Timed:
        """Who looks ahead: whose result waits for more of what is behind the end than its arguments."""
        now = made.look_ahead(self.length)
        if now == 0:
            return replace(made, culprits=())
        args = [self.values[number] for number in instruction.args]
        before = max((arg.look_ahead(self.length) for arg in args if isinstance(arg, Timed)), default=0)
        if now <= before:
            return made
        return replace(made, culprits=(*made.culprits, Culprit(layer_name(instruction), instruction.origin.place, now - before)))

    def check(self, results: list[Timed]) -> None:
        result = max(results, key=lambda result: result.look_ahead(self.length))
        needed = result.look_ahead(self.length)
        if needed <= self.allowed:
            return
        lines = [f"  {c.op} looks {samples(c.samples)} ahead\n    {c.place}" for c in result.culprits]
        head = f"the model is not causal: its result waits for {samples(needed)} that come later; --latency {needed} permits that:"
        raise ImportFailure("\n".join([head, *lines]))


def samples(count: int) -> str:
    return "1 sample" if count == 1 else f"{count} samples"


def streamed(
    program: Program, tensors: dict[str, torch.Tensor], axes: Sequence[int] = (), latency: int = 0, context: int | None = None
) -> Streamed:
    """The program frame by frame. Raises `ImportFailure` for what is not causal, or only with a larger latency.

    `axes` are the dimensions of the inputs that count time, one for all of them or one for each; none: those along which layers go. Stored values
    that are needed in another form are added to `tensors`. `context`: attention goes back so many time steps at most.
    """
    failures: list[tuple[int, ImportFailure]] = []
    program = with_whole_tensors(program, tensors)
    rolled, loops = loops_of(with_windows(program, tensors), tensors)
    if not loops and (late := behind_windows(program)):
        rolled, loops = loops_of(with_windows(program, tensors, late), tensors)
    if not loops:
        rolled = program
    forms = [(rolled, loops)]
    if loops and (axes or gone_along(program, program.inputs[0])):
        forms.append((program, []))  # what looks like a loop over time may go over something else
    for form, found in forms:
        for way in ways_of(form, axes):
            added = dict(tensors)
            streamer = Streamer(form, added, way, latency, context, found)
            try:
                made = streamer.run()
            except ImportFailure as failure:
                if form is rolled:
                    failures.append((len(streamer.values), failure))
                continue
            tensors.update(added)
            return replace(made, is_guess=not axes and is_guessed(program))
    # The dimension with which most of the model could be read is the one that is meant.
    raise max(failures, key=lambda one: one[0])[1]


def ways_of(program: Program, axes: Sequence[int]) -> list[tuple[int, ...]]:
    """What may be the dimensions of time of the inputs."""
    if not axes:
        return times_of(program)
    return [tuple(axis % len(program.shapes[number]) for axis, number in zip(each_input(axes, program), program.inputs))]


def each_input(axes: Sequence[int], program: Program) -> Sequence[int]:
    """A dimension for each input."""
    count = len(program.inputs)
    if len(axes) not in (1, count):
        raise ImportFailure(f"--time is given {len(axes)} times, where the model has {count} inputs: once says it for all, or once for each")
    for axis, number in zip(axes if len(axes) > 1 else [*axes] * count, program.inputs):
        rank = len(program.shapes[number])
        if not -rank <= axis < rank:
            raise ImportFailure(f"--time {axis}: an input has the dimensions 0 to {rank - 1}")
    return axes if len(axes) > 1 else [*axes] * count
