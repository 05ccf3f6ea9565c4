"""Processes of torch.distributed that share a program (docs/design/mesh.md)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from .diagnostics import MeshError

if TYPE_CHECKING:
    from .stream import Stream

TIMEOUT = 60.0  # seconds


class Mesh:
    """The processes of a group, each with its rank. `timeout`: seconds after which a process that the others wait for counts as lost."""

    def __init__(self, group: Any = None, timeout: float = TIMEOUT):
        distributed = torch_distributed()
        if not distributed.is_available() or not distributed.is_initialized():
            raise MeshError("no process group is there: call torch.distributed.init_process_group(...) first, or start the processes with torchrun")
        self.distributed = distributed
        self.group = group
        self.rank: int = distributed.get_rank(group)
        self.size: int = distributed.get_world_size(group)
        if self.rank < 0:
            raise MeshError("this process is none of the group")
        self.timeout = timedelta(seconds=timeout)
        self.device = "cuda" if distributed.get_backend(group) == "nccl" else "cpu"
        self.failure: BaseException | None = None

    def __repr__(self) -> str:
        return f"<strc.Mesh: process {self.rank} of {self.size}>"

    # ---- collectives of bytes, which the runtime calls in the same order in all processes

    def gather(self, own: int, size: int, to: int) -> bool:
        """The bytes of each process, by rank; False: they do not come, and `check` says why."""
        return self.attempt(self.gathered, own, size, to)

    def exchange(self, out: int, size: int, to: int) -> bool:
        """Block k of so many bytes goes to process k."""
        return self.attempt(self.exchanged, out, size, to)

    def attempt(self, what: Callable[[int, int, int], None], source: int, size: int, to: int) -> bool:
        if self.failure is not None:
            return False  # what the others send next is of another call
        try:
            what(source, size, to)
        except BaseException as error:  # it is raised when the call of the program has ended
            self.failure = error
            return False
        return True

    # Memory of the runtime goes when a collective has failed, and one that was given up may still write: what it reads and writes is its own.

    def gathered(self, own: int, size: int, to: int) -> None:
        if size == 0:
            return
        given = bytes_at(own, size)
        come = bytes_at(to, size * self.size)
        if self.device == "cpu":
            made = given.new_empty(size * self.size)
            self.wait(self.distributed.all_gather(list(made.split(size)), given.clone(), group=self.group, async_op=True))
            come.copy_(made)
        else:
            come.copy_(self.on_device(self.distributed.all_gather_into_tensor, given, come))

    def exchanged(self, out: int, size: int, to: int) -> None:
        if size == 0:
            return
        given, come = bytes_at(out, size * self.size), bytes_at(to, size * self.size)
        if self.device == "cpu":
            made = given.new_empty(size * self.size)
            self.wait(self.distributed.all_to_all_single(made, given.clone(), group=self.group, async_op=True))
            come.copy_(made)
        else:
            come.copy_(self.on_device(self.distributed.all_to_all_single, given, come))

    def on_device(self, collective: Callable[..., Any], given: Any, come: Any) -> Any:
        import torch

        made = torch.empty_like(come, device=self.device)
        self.wait(collective(made, given.to(self.device), group=self.group, async_op=True))
        return made

    def wait(self, work: Any) -> None:
        work.wait(self.timeout)

    def check(self) -> None:
        """Raises why a collective has failed, if one has: the group is of no use any more."""
        if self.failure is not None:
            failure = self.failure
            if not isinstance(failure, Exception):
                raise failure
            raise MeshError(f"process {self.rank} of {self.size} has lost the others: {first_line(failure)}") from failure

    # ---- agreements

    def objects(self, own: Any) -> list[Any]:
        """What each process says. Raises MeshError."""
        import pickle

        import torch

        said = pickle.dumps(own)
        sizes = torch.zeros(self.size, dtype=torch.int64)
        size = torch.tensor([len(said)])
        self.collective(self.gather, size, sizes)
        most = int(sizes.max())
        padded = torch.frombuffer(bytearray(said.ljust(most, b"\0")), dtype=torch.uint8)
        come = torch.zeros(self.size * most, dtype=torch.uint8)
        self.collective(self.gather, padded, come)
        return [pickle.loads(bytes(each[:count].tolist())) for each, count in zip(come.split(most), sizes.tolist())]

    def collective(self, what: Callable[[int, int, int], bool], given: Any, come: Any) -> None:
        if not what(given.data_ptr(), given.numel() * given.element_size(), come.data_ptr()):
            self.check()

    def agree(self, make: Callable[[], str]) -> None:
        """Has each process make its program. Raises what is wrong with the own one, and MeshError if another one has failed or has another program."""
        from .._core import version

        failure: Exception | None = None
        try:
            said = (True, f"{make()}, strc {version()}")
        except Exception as error:
            failure, said = error, (False, first_line(error))
        all_said = self.objects(said)
        if failure is not None:
            raise failure
        for rank, (is_fine, what) in enumerate(all_said):
            if not is_fine:
                raise MeshError(f"process {rank} of {self.size} has no program: {what}")
        for rank, (_, what) in enumerate(all_said):
            if what != all_said[0][1]:
                raise MeshError(
                    f"process {rank} of {self.size} has another program than process 0, other weights, or another version of strc: {what} instead of {all_said[0][1]}"
                )

    # ---- items of a stack

    def items(self, stream: Stream, values: Sequence[Any], count: int | None) -> Any:
        """A call in which each process does neighbouring items of the stacks that it is given, and all get all of the results. The bits are those of one
        process: an item is done by the same code."""
        assert stream.input is not None
        counts = {stream.input.tensor(value, place)[1] for place, value in enumerate(values)}
        if counts == {None} or len(counts) != 1 or count is not None:
            return stream.once(values, count)
        total = counts.pop()
        assert total is not None
        made: tuple[Any, ...] = ()
        failure: Exception | None = None
        try:
            made = self.own_items(stream, values, total)
        except Exception as error:
            failure = error
        self.all_fine(failure)
        found = tuple(self.joined(each, total) for each in made)
        return found[0] if len(found) == 1 else found

    def own_items(self, stream: Stream, values: Sequence[Any], total: int) -> tuple[Any, ...]:
        from .memory import looked_at, maker_for

        first, end = (total * rank // self.size for rank in (self.rank, self.rank + 1))
        if first == end:
            assert stream.output is not None
            return tuple(maker_for(values).empty((0, *kind.shape), kind.element).owner for kind in stream.output.tensors)
        made = stream.once([looked_at(value, None)[first:end] for value in values], None)
        return made if isinstance(made, tuple) else (made,)

    def all_fine(self, failure: Exception | None) -> None:
        """Raises what has gone wrong here, or MeshError if it has elsewhere."""
        import torch

        fine = torch.tensor([failure is None])
        all_fine = torch.zeros(self.size, dtype=torch.bool)
        self.collective(self.gather, fine, all_fine)
        if failure is not None:
            raise failure
        if not bool(all_fine.all()):
            raise MeshError(f"process {int(all_fine.int().argmin())} of {self.size} has failed, and what it has computed is missing")

    def joined(self, own: Any, total: int) -> Any:
        """The items of all processes behind each other."""
        import torch

        from .memory import is_torch

        part = own if is_torch(own) else torch.from_numpy(own)
        most = -(-total // self.size)
        padded = part.new_zeros((most, *part.shape[1:]))
        padded[: len(part)] = part
        come = part.new_empty((self.size * most, *part.shape[1:]))
        self.collective(self.gather, padded, come)
        counts = [total * (rank + 1) // self.size - total * rank // self.size for rank in range(self.size)]
        whole = torch.cat([each[:count] for each, count in zip(come.split(most), counts)])
        return whole if is_torch(own) else whole.numpy()


def torch_distributed() -> Any:
    try:
        import torch.distributed
    except ImportError:
        raise MeshError("mesh= needs PyTorch, whose torch.distributed connects the processes") from None
    return torch.distributed


def bytes_at(address: int, size: int) -> Any:
    """A tensor of bytes that lie there."""
    import torch

    if size == 0:
        return torch.empty(0, dtype=torch.uint8)
    return torch.frombuffer((ctypes.c_char * size).from_address(address), dtype=torch.uint8)


def first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__


def mesh_of(given: Any) -> Mesh:
    """A DeviceMesh of one dimension, a process group, how many processes the default group has, or a Mesh. Raises MeshError and TypeError."""
    if isinstance(given, Mesh):
        return given
    if isinstance(given, bool) or not isinstance(given, int):
        if hasattr(given, "get_group") and hasattr(given, "ndim"):
            if given.ndim != 1:
                raise MeshError(f"the mesh has {given.ndim} dimensions, and processes share a program along one: give mesh['name'] of it")
            return Mesh(given.get_group())
        if hasattr(given, "rank") and hasattr(given, "size"):
            return Mesh(given)
        raise TypeError("mesh is a DeviceMesh, a process group, the number of processes, or a strc.Mesh")
    made = Mesh()
    if made.size != given:
        raise MeshError(f"mesh={given}, but there are {made.size} processes")
    return made
