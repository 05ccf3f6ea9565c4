"""Proves by running that a streamed program gives what the model gives for the whole sequence, however its input is cut.

The proof would say little of a model whose results hardly depend on what came before. So some of the input is changed, and the results have to
change where they depend on it, and nowhere else.
"""

from __future__ import annotations

import copy
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy
import torch

from ..errors import ImportFailure
from .clock import Clock
from .context import bounded
from .running import Program
from .streamed import Streamed

TOLERANCE = 1e-5
LONGER = 37  # steady states by which one run is longer than the example,
MOST = 4096  # unless these are more items; but three at least
CHUNKS = (1, 64)  # frames that are given at a time
OTHER_CHUNK = 7  # and of the changed input
LOUDER = 3.0  # the noise in it, so that whatever chooses chooses otherwise
SEEDS = range(8)  # of that noise, which begins so many items later: what one does not show, as a state that the next items set again, another one may
QUIETEST = 0.01  # any noise: the tolerance is small enough for it

Results = list[torch.Tensor]


class OtherLength(ImportFailure):
    """The stream is right for the example, and not for `inputs`, which are longer."""

    def __init__(self, text: str, inputs: Sequence[torch.Tensor]):
        super().__init__(text)
        self.inputs = inputs


class NothingChanges(ImportFailure):
    """Results are the same although the input, or what came before, is another one."""


@dataclass(frozen=True)
class Sequences:
    """The inputs of a run, as long as so many items of the finest, and the model's results for them: frames, time first."""

    inputs: list[torch.Tensor]
    length: int
    wanted: Results


def offline(model: torch.nn.Module, inputs: Sequence[torch.Tensor], axes: Sequence[int], context: int | None) -> Results:
    """The model's frames, time first: of doubles, or of whole numbers."""
    with torch.no_grad(), bounded(context):
        try:
            given = model(*inputs)
        except RuntimeError as error:
            raise ImportFailure(
                "the model does not run with sequences of another length than the example's, so that it is no stream: "
                f"{str(error).splitlines()[0]}; make what depends on time of the input's own size{line_of(error)}"
            ) from error
    found = [result.movedim(axis, 0).reshape(result.shape[axis], -1) for result, axis in zip(tensors_of(given), axes)]
    return [result.to(torch.float64) if result.is_floating_point() else result for result in found]


def line_of(error: Exception) -> str:
    """Where the model raises it."""
    torch_folder = str(Path(torch.__file__).parent)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(torch_folder)]
    return f"\n  {frames[-1].filename}:{frames[-1].lineno}: {frames[-1].line}" if len(frames) > 1 else ""


def tensors_of(given: object) -> list[torch.Tensor]:
    """The results in their order."""
    if isinstance(given, torch.Tensor):
        return [given]
    parts = given.values() if isinstance(given, dict) else given if isinstance(given, (tuple, list)) else ()
    return [tensor for part in parts for tensor in tensors_of(part)]


def differences(found: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Of each frame that both have the largest difference, as a share of what is allowed, which is none for whole numbers."""
    count = min(len(found), len(wanted))
    found, wanted = found[:count], wanted[:count]
    if not wanted.is_floating_point():
        over = torch.where(found == wanted, 0.0, torch.inf)
    else:
        over = (found - wanted).abs() / wanted.abs().clamp(min=1) / TOLERANCE
        over = torch.where(over.isnan(), torch.inf, over)
    return over.amax(1) if count else torch.zeros(0)


class Prover:
    def __init__(self, streamed: Streamed, model: torch.nn.Module, program: Program):
        self.streamed, self.model, self.program = streamed, model, program
        self.axes = [end.axis for end in streamed.results]
        self.doubled: torch.nn.Module | None = None

    def sequences(self, inputs: list[torch.Tensor]) -> Sequences:
        end = self.streamed.inputs[0]
        length = inputs[0].shape[end.axis] * self.streamed.period // end.frames
        return Sequences(inputs, length, offline(self.model, inputs, self.axes, self.streamed.context))

    def frames(self, given: Sequences) -> list[numpy.ndarray]:
        """The inputs as a stream has them."""
        ends = zip(given.inputs, self.streamed.inputs)
        return [x.movedim(end.axis, 0).reshape(x.shape[end.axis], -1).float().contiguous().numpy() for x, end in ends]

    def compared(self, given: Sequences, chunk: int | None = None) -> Results:
        """What the stream gives, which has to be what the model gives. Raises `ImportFailure`."""
        named = f"in pieces of {chunk}" if chunk else "all at once"
        found = []
        for number, numbers in enumerate(self.program.run(self.frames(given), chunk)):
            end = self.streamed.results[number]
            found.append(torch.from_numpy(numbers).to(torch.float64).reshape(-1, end.size))
            self.check_count(number, len(found[-1]), given, named)
            share = largest(differences(found[-1], given.wanted[number]))
            if share > 1:
                # Where rounding alone makes more of a difference the model is asked to compute in double.
                share = largest(differences(found[-1], self.in_double(given)[number]))
            if share > 1:
                raise ImportFailure(
                    f"the streamed program does not give what the model gives ({named}): a number differs by {share * TOLERANCE:.2g} of "
                    f"max(1, |value|), and {TOLERANCE} is allowed; nothing has been written"
                )
        return found

    def check_count(self, number: int, count: int, given: Sequences, named: str) -> None:
        """A stream gives whole steady states, in which there is something of each result, and is late by what it says; frames that may come early need not."""
        end, wanted = self.streamed.results[number], len(given.wanted[number])
        states = given.length // self.streamed.period
        there = states * end.frames - end.late
        rounds = min((states * each.frames - max(0, each.late)) // each.frames for each in self.streamed.results)
        most = int(self.streamed.latency * self.streamed.clocks[number].rate) + 2 * end.frames
        if not (rounds - 1) * end.frames < count <= there or there < wanted - most:
            raise ImportFailure(
                f"the streamed program is not in time, which is an error of the importer: for {given.length} time steps the model gives {wanted} "
                f"frames, and the stream {count} instead of {there} ({named})"
            )

    def in_double(self, given: Sequences) -> Results:
        if self.doubled is None:
            self.doubled = copy.deepcopy(self.model)._apply(doubled)
        usual = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)  # of what the model makes itself, such as states of zeros
        try:
            return offline(self.doubled, [doubled(x) for x in given.inputs], self.axes, self.streamed.context)
        except (ImportFailure, AssertionError, TypeError):
            return given.wanted  # it cannot compute so
        finally:
            torch.set_default_dtype(usual)

    def check_lengths(self, short: Sequences, long: Sequences) -> None:
        """The model gives as many more frames as a stream would."""
        for end, one, other in zip(self.streamed.results, short.wanted, long.wanted):
            if (len(other) - len(one)) * self.streamed.period != (long.length - short.length) * end.frames:
                raise ImportFailure(
                    f"for {short.length} time steps the model gives {len(one)} frames, and for {long.length} {len(other)}: "
                    "what it does depends on the length of its input, which a stream has not"
                )

    def changed_visibly(self, given: Sequences) -> tuple[Sequences, int, int]:
        """Other noise in the middle, such that the model's results show it, and from which item on to before which one. Raises `ImportFailure`."""
        for seed in SEEDS:
            other, begin, end = self.changed(given, seed)
            try:
                self.check_changes(given.wanted, other.wanted, begin, end, "the model")
            except NothingChanges:
                if seed == SEEDS[-1]:
                    raise
            else:
                break
        return other, begin, end

    def changed(self, given: Sequences, seed: int) -> tuple[Sequences, int, int]:
        period = self.streamed.period
        states = given.length // period
        count = max(1, states // 8)
        begin = min(states // 3 + seed, states - count) * period
        end = begin + count * period
        generator = torch.Generator().manual_seed(seed)
        inputs = []
        for x, about in zip(given.inputs, self.streamed.inputs):
            x, first, after = x.clone(), begin * about.frames // period, end * about.frames // period
            part = x.narrow(about.axis, first, after - first)
            part.copy_(noise(part, x, generator, LOUDER))
            inputs.append(x)
        return self.sequences(inputs), begin, end

    def check_changes(self, before: Results, after: Results, begin: int, end: int, whose: str) -> None:
        """Results change where they depend on the items that were changed, and nowhere else. Raises `ImportFailure`."""
        is_seen = is_later = False
        depends_on_past = False
        for clock, one, other in zip(self.streamed.clocks, before, after):
            changed = (differences(other, one) > 1).tolist()
            for frame, differs in enumerate(changed):
                depends = clock.first_of(frame) < end and clock.last_of(frame) >= begin
                if differs and not depends:
                    raise ImportFailure(
                        f"frame {frame} of what {whose} gives depends on items {begin} to {end - 1} of the input, where the model's layers say that it "
                        f"does not: {span(clock, frame)}"
                    )
                later = depends and clock.last_of(frame) >= end
                depends_on_past |= later
                is_seen |= differs
                is_later |= differs and later
        if not is_seen or (depends_on_past and not is_later):
            what = "results of the model are the same" if not is_seen else "later results of the model are the same"
            raise NothingChanges(
                f"nothing can be proved: the {what} whatever its input is (by more than {TOLERANCE} of max(1, |value|)), so a wrong program could not be told "
                "from a right one. Import the model with the weights it will have, or with random ones that are not this small"
            )


def doubled(values: torch.Tensor) -> torch.Tensor:
    """In twice the precision, but whole numbers."""
    if values.is_complex():
        return values.to(torch.complex128)
    return values.double() if values.is_floating_point() else values


def largest(shares: torch.Tensor) -> float:
    return float(shares.max()) if len(shares) else 0.0


def span(clock: Clock, frame: int) -> str:
    first = clock.first_of(frame)
    return f"it needs {'all' if first < 0 else f'those from {first} on'} up to {clock.last_of(frame)}"


def noise(like: torch.Tensor, example: torch.Tensor, generator: torch.Generator, louder: float = 1.0) -> torch.Tensor:
    """Random numbers of a tensor's shape: as loud as the example, times `louder`; whole numbers from its least one, or 0, to its greatest one, or 1."""
    if like.is_floating_point():
        return torch.randn(like.shape, generator=generator) * louder * loudness(example)
    known = [int(one) for one in example.aminmax()] if example.numel() else []
    return torch.randint(min([0, *known]), max([1, *known]) + 1, like.shape, generator=generator).to(like.dtype)


def loudness(example: torch.Tensor) -> float:
    """Of the noise in its place: a trained model may give the same for all that is much louder than what it knows."""
    known = float(example.double().std()) if example.is_floating_point() and example.numel() > 1 else 0.0
    return max(known, QUIETEST) if 0 < known < float("inf") else 1.0


def inputs_for(streamed: Streamed, examples: Sequence[torch.Tensor], more: int) -> list[torch.Tensor]:
    """Noise as loud as the examples, longer by so many steady states."""
    generator = torch.Generator().manual_seed(1)
    found = []
    for x, end in zip(examples, streamed.inputs):
        shape = list(x.shape)
        shape[end.axis] += more * end.frames
        found.append(noise(x.new_empty(shape), x, generator))
    return found


def prove(streamed: Streamed, model: torch.nn.Module, examples: Sequence[torch.Tensor], text: bytes, weights: bytes) -> None:
    """Runs the stream and compares it with the model at every time step, from the first valid one on. Raises `ImportFailure`."""
    with tempfile.TemporaryDirectory(prefix="strc-import-") as folder:
        prover = Prover(streamed, model, Program(folder, streamed, text, weights))
        more = min(LONGER, max(3, MOST // streamed.period))
        short, long = (prover.sequences(inputs_for(streamed, examples, count)) for count in (0, more))
        prover.check_lengths(short, long)
        other, begin, end = prover.changed_visibly(long)
        prover.compared(short)
        try:
            whole = prover.compared(long)
        except ImportFailure as fault:
            raise OtherLength(str(fault), long.inputs) from fault
        found = [whole, *(prover.compared(long, chunk) for chunk in CHUNKS)]
        prover.check_changes(found[0], prover.compared(other, OTHER_CHUNK), begin, end, "the stream")
