"""A program that goes on as its input comes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy

from .diagnostics import CompileError, RunError, StateError
from .ends import is_apart
from .memory import Maker, Memory, maker_for

if TYPE_CHECKING:
    from .program import Compiled, Program

Array = numpy.ndarray[Any, Any]

# As the extension numbers what comes of asking for another program.
REFUSED, WRONG_CALL = 1, 2
FAILED = 5  # of what `core.save` gives: Stream::Saved of the extension
# Items for which there is room where nobody knows how many come.
AT_LEAST = 1024


class Stream:
    """A program with a state of its own: `process` gives what comes of a chunk, however the input is cut into chunks.

    `latency`: so many items the output is behind. `block`: items that a steady state takes and gives."""

    def __init__(self, compiled: Compiled):
        self.compiled = compiled
        made = compiled.compiler.stream()
        errors = compiled.ear.listen(5)
        if made is None:
            raise CompileError(errors)
        if compiled.output and made.block_out == 0 and made.first_out == 0:
            raise TypeError("how many items come of a chunk is not known beforehand, since the program has dynamic rates")
        self.core = made
        self.mesh = compiled.recipe.mesh
        if self.mesh is not None and not compiled.recipe.is_batch():
            made.join(self.mesh.gather, self.mesh.exchange)
        self.input, self.output = compiled.input, compiled.output
        self.taken = self.given = 0
        self.has_failed = False
        self.following: Compiled | None = None  # that is to take the place of `compiled`
        self.was_replaced = False  # what comes of a chunk is not known beforehand

    @property
    def latency(self) -> int:
        return self.core.latency

    @property
    def block(self) -> tuple[int, int]:
        return self.core.block_in, self.core.block_out

    def reset(self) -> None:
        """As it was at the start, but for parameters that were set."""
        if self.has_failed or self.was_replaced or not (self.core.keeps_nothing and self.is_even):
            self.core.reset()
            self.adopt()
        self.taken = self.given = 0
        self.has_failed = False
        self.was_replaced = self.following is not None

    # ---- state

    def save(self) -> bytes:
        """All that it has in mind between two chunks: what waits inside, parameters, fields. A stream of the same program goes on from it
        (`restore`), in another process, too."""
        if self.following is not None:
            raise RuntimeError("another program is taking the place of this one: there is no state to save before it runs alone")
        found = self.core.save()
        if isinstance(found, int):
            raise RuntimeError("a check of the program has failed: there is no state to save before a reset" if self.has_failed else
                               "an iteration with dynamic rates has taken too much, or has seen a parameter change: there is no state to save before it is over")  # fmt: skip
        return found

    def restore(self, state: bytes) -> None:
        """Goes on from a state that a stream of the same program has saved. Raises StateError; then nothing has changed."""
        found = self.core.restore(bytes(state))
        if found != 0:
            raise StateError(found)
        self.taken, self.given = self.core.position()
        self.has_failed = False

    def clone(self) -> Stream:
        """Another stream that goes on from here."""
        state = self.save()
        made = Stream(self.compiled)
        made.restore(state)
        return made

    # ---- another program

    def replace(self, program: Program, fade: int = 0) -> None:
        """From the next chunk on it goes on as another program, with the state of all that has stayed the same (docs/live.md). With
        `fade` so many items of the output are mixed from both. Both were compiled with `options={"replaceable": True}`. Raises
        CompileError if the program cannot take the place; then it goes on as it was."""
        if any(end is not None and end.tensors for end in (self.input, self.output)):
            raise TypeError("streams whose items are tensors are not replaced")
        following = program.compiled()
        asked = self.core.replace(following.compiler, fade)
        if asked == WRONG_CALL:
            raise ValueError('both programs need options={"replaceable": True}, they are two, and one at a time takes the place of another')
        if asked == REFUSED:
            raise CompileError(following.ear.listen(5))
        self.following, self.was_replaced = following, True

    @property
    def replaced(self) -> str | None:
        """What the program went on with that has taken the place of another one, a line for each filter and channel; None as long as it does not run
        alone."""
        is_under_way, told = self.core.replacement()
        self.adopt()
        return None if is_under_way else str(told)

    def adopt(self) -> None:
        if self.following is not None and not self.core.replacement()[0]:
            self.compiled, self.following = self.following, None

    @property
    def is_even(self) -> bool:
        """Nothing waits inside."""
        block = self.core.block_in
        return self.given == self.expected(self.taken) and block > 0 and (self.taken - self.core.first_in) % block == 0

    def set(self, name: str, value: Any) -> None:
        """Sets a parameter that `strc.compile(..., keep=[name])` left open: a number, or a NumPy scalar where the parameter is no int,
        float or boolean."""
        kind = numpy.bool_ if isinstance(value, bool) else numpy.int32 if isinstance(value, int) else numpy.float32
        data = value.tobytes() if isinstance(value, numpy.generic) else kind(value).tobytes()
        if not self.core.set(name, data):
            raise ValueError(f"there is no open parameter '{name}' of that type")

    def process(self, *chunks: Any, count: int | None = None, apart: bool | None = None) -> Any:
        """What comes of a chunk: an array of items, of which there may be none. Several inputs have a chunk each, with items as the rates between
        them say; then several outputs are a tuple of arrays, too (`apart` says so, or not, whatever is given).

        Tensors come as a stack, with a dimension more in front, or as a single one; where several inputs take turns, a chunk for each. Where
        tensors of several types come out in turn, the result is a list of them. A program without input gives `count` items."""
        if self.input is None:
            return self.without_input(chunks, count, bool(apart))
        if self.input.tensors or (self.output and self.output.tensors):
            return self.stacked(self.items(*self.arrived(chunks)), maker_for(chunks))
        place = self.given
        made = self.scalars(self.input.arrived(chunks))
        return maker_for(chunks).all_finished(self.output.parted(made, place) if self.output and is_apart(chunks, apart) else made)

    # ---- items

    def expected(self, items: int) -> int:
        """How many items come of the first so many."""
        core = self.core
        if items < core.first_in or (core.block_in == 0 and items == 0):
            return 0
        blocks = (items - core.first_in) // core.block_in if core.block_in else 0
        return core.first_out + blocks * core.block_out

    def scalars(self, items: Array) -> Array:
        from .program import as_bytes

        if self.was_replaced:
            return self.counted(items)
        expected = self.expected(self.taken + len(items)) - self.given
        made = numpy.empty(max(expected, 0), self.output.dtype) if self.output else None
        self.work(self.core.process(as_bytes(items), None if made is None else as_bytes(made)))
        return made if made is not None else numpy.empty(0, numpy.uint8)

    def counted(self, items: Array) -> Array:
        """The same where items of the program before may wait inside."""
        from .program import as_bytes

        data = as_bytes(items)
        if self.output is None:
            self.work(self.core.process(data, None))
            return numpy.empty(0, numpy.uint8)
        size = data.size // len(items) if len(items) else 0
        pieces = []
        while True:
            made = numpy.empty(AT_LEAST + len(items), self.output.dtype)
            taken, given = self.work(self.core.process(data, as_bytes(made)))
            data = data[taken * size :]
            pieces.append(made[:given])
            if given < len(made):
                return pieces[0] if len(pieces) == 1 else numpy.concatenate(pieces)

    def without_input(self, chunks: Sequence[Any], count: int | None, apart: bool = False) -> Any:
        if chunks:
            raise TypeError("the program has no input")
        if count is None or self.output is None:
            raise TypeError("the program has no input that could end: say how many items you want, with count=")
        if self.output.tensors:
            return self.stacked(self.places([], count, Maker(False)), Maker(False))
        from .program import as_bytes

        place = self.given
        made = numpy.empty(count, self.output.dtype)
        self.work(self.core.process(None, as_bytes(made)))
        return self.output.parted(made, place) if apart else made

    # ---- items that are each in a place of their own

    def arrived(self, chunks: Sequence[Any]) -> tuple[list[tuple[int, Any]], Maker]:
        """Addresses of items in the order in which they arrive, with what keeps them."""
        assert self.input is not None
        maker = maker_for(chunks)
        if not self.input.tensors:
            if len(chunks) != 1:
                raise TypeError(f"a chunk is one array of items of type {self.input}, and not {len(chunks)}")
            items = self.input.items(chunks[0])
            return [(items.ctypes.data + k * self.input.dtype.itemsize, items) for k in range(len(items))], maker
        inputs = len(self.input.tensors)
        if len(chunks) % inputs != 0 or not chunks:
            raise TypeError(f"the program takes {inputs} tensor{'s' if inputs > 1 else ''} in turn ({self.input}), and not {len(chunks)}")
        found = [self.input.tensor(chunk, place) for place, chunk in enumerate(chunks)]
        counts = {count for _, count in found}
        if len(counts) > 1:
            raise ValueError("of inputs that take turns there have to be equally many")
        count = counts.pop()
        pieces = [(memory, memory.size // (count or 1)) for memory, _ in found]
        return [
            (memory.address + k * size, memory.owner) for k in range(1 if count is None else count) for memory, size in pieces
        ], maker

    def items(self, arrived: list[tuple[int, Any]], maker: Maker) -> list[Memory]:
        """What comes of them."""
        expected = self.expected(self.taken + len(arrived)) - self.given
        return self.places(arrived, max(expected, 0), maker)

    def places(self, arrived: list[tuple[int, Any]], count: int, maker: Maker) -> list[Memory]:
        made = [self.room(self.given + k, maker) for k in range(count)] if self.output else []
        self.work(self.core.process_items([address for address, _ in arrived], [memory.address for memory in made]))
        return made

    def room(self, number: int, maker: Maker) -> Memory:
        assert self.output is not None
        if self.output.tensors:
            kind = self.output.tensors[number % len(self.output.tensors)]
            return maker.empty(kind.shape, kind.element)
        array = numpy.empty((), self.output.dtype) if not self.output.dtype.shape else numpy.empty(self.output.dtype.shape, self.output.dtype.base)
        return Memory(array.ctypes.data, array.shape, self.output.dtype.base.name, array.nbytes, array)

    def stacked(self, made: list[Memory], maker: Maker) -> Any:
        """One array of all, if they are of one type."""
        if self.output is None:
            return None
        if len(self.output.tensors) > 1:
            return [memory.owner for memory in made]
        return stack(made, self, maker)

    def once(self, values: Sequence[Any], count: int | None) -> Any:
        """What a program gives that is called with tensors: one for each output, stacks for stacks."""
        if self.input is None:
            return self.without_input(values, count)
        arrived, maker = self.arrived(values)
        made = self.items(arrived, maker)
        if self.output is None:
            return None
        if count is not None:
            made = made[:count]
        if not self.output.tensors or not self.input.tensors:
            return self.stacked(made, maker)
        rounds = len(arrived) // len(values)
        is_single = rounds == 1 and self.input.tensor(values[0], 0)[1] is None
        if is_single:
            found = [memory.owner for memory in made]
        elif rounds and len(made) % rounds == 0:
            each = len(made) // rounds
            found = [stack(made[k::each], self, maker) for k in range(each)]
        else:
            return self.stacked(made, maker)
        return found[0] if len(found) == 1 else tuple(found)

    def work(self, done: tuple[int, int] | None) -> tuple[int, int]:
        self.adopt()
        self.compiled.let_out()
        if done is None:
            self.has_failed = True
            if self.mesh is not None:
                self.mesh.check()
            raise RunError(self.compiled.ear.listen(6))
        self.taken += done[0]
        self.given += done[1]
        return done


def process_many(streams: Sequence[Stream], chunks: Sequence[Any]) -> list[Any]:
    """What comes of a chunk for each of several streams of one program, all chunks of one length: `stream.process` for each, with the same bits. With
    `strc.compile(..., options={"lanes": True})` those that stand at the same place are done together, each in a lane of vectors."""
    if len(streams) != len(chunks):
        raise ValueError(f"there are {len(streams)} streams, and {len(chunks)} chunks")
    if not streams:
        return []
    first = streams[0]
    if len({id(stream) for stream in streams}) != len(streams) or any(stream.compiled is not first.compiled for stream in streams):
        raise ValueError("streams that go on together are different ones of one program")
    if first.input is None or first.output is None or first.input.tensors or first.output.tensors:
        raise TypeError("streams that go on together take and give items that are no tensors")
    if any(stream.was_replaced for stream in streams):
        return one_by_one(streams, chunks)
    arrived = [first.input.items(chunk) for chunk in chunks]
    if len({len(items) for items in arrived}) > 1:
        raise ValueError(f"streams that go on together take chunks of one length, and not of {sorted({len(items) for items in arrived})}")
    made, is_fine = together(streams, arrived)
    if not is_fine:
        raise RunError(first.compiled.ear.listen(5))
    maker = maker_for(chunks)
    return [maker.finished(items) for items in made]


def one_by_one(streams: Sequence[Stream], chunks: Sequence[Any]) -> list[Any]:
    """Of streams that have gone on as other programs, of which nobody knows beforehand how many items come. One that fails keeps no other from going on."""
    made, failure = [], None
    for stream, chunk in zip(streams, chunks):
        try:
            made.append(stream.process(chunk))
        except RunError as error:
            failure = failure or error
    if failure is not None:
        raise failure
    return made


def together(streams: Sequence[Stream], arrived: Sequence[Array]) -> tuple[list[Array], bool]:
    """What comes of as many items for each stream; False if a check of any has failed. That one `has_failed`, and the others have gone on."""
    first, count = streams[0], len(arrived[0])
    assert first.output is not None
    room = max(max(stream.expected(stream.taken + count) - stream.given, 0) for stream in streams)
    made = [numpy.empty(room, first.output.dtype) for _ in streams]
    is_fine, counts = first.core.process_many(
        [stream.core for stream in streams], [items.ctypes.data for items in arrived], [items.ctypes.data for items in made], count, room
    )
    first.compiled.let_out()
    for stream, (taken, given) in zip(streams, counts):
        stream.taken += taken
        stream.given += given
        stream.has_failed = stream.has_failed or not is_fine and stream.core.save() == FAILED
    return [items[:given] for items, (_, given) in zip(made, counts)], is_fine


def stack(made: list[Memory], stream: Stream, maker: Maker) -> Any:
    """One array, with a dimension more in front."""
    arrays = [memory.owner for memory in made]
    if arrays and maker.uses_torch and stream.output is not None and stream.output.tensors:
        import torch

        return torch.stack(arrays)
    if arrays:
        return maker.finished(numpy.stack(arrays))
    empty = stream.room(0, maker)
    return maker.finished(numpy.empty((0, *empty.shape), getattr(empty.owner, "dtype", None))) if not maker.uses_torch else empty.owner[None][:0]
