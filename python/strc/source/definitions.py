"""Modules as named pipelines with parameters.

Calls of modules of one class whose streams differ in numbers and names alone are one pipeline: what differs becomes parameters, and
`weights` is the prefix of what is stored for the module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..ir import Instruction, Named, Param
from ..ir.model import Loop
from ..ir.declarations import STREAMS
from ..streams import Call, Leaf, Node, Pick, Pipe, Region, Regroup, Split, Stream, decompose, in_turns, with_ends
from .expressions import Written
from .floats import IN_TURNS, PARTS, WIRES, StreamFilter
from .literals import identifier, literal, shape_of, type_of
from .sizes import Sized


@dataclass
class Argument:
    """An argument of a creation: its name, whether it is given by that, its value, and whether it names stored values."""

    formal: str
    by_name: bool
    value: Param
    stored: bool = False


@dataclass
class Creation:
    """What a leaf adds. `callee` is a filter's name or a definition."""

    callee: str | Definition
    arguments: list[Argument]

    @property
    def name(self) -> str:
        return self.callee if isinstance(self.callee, str) else self.callee.name


@dataclass
class Parameter:
    type: str
    name: str


@dataclass
class Definition:
    """A named pipeline, or a feedback loop around one.

    `texts` are what its leaves add, in the order in which they stand in the stream.
    """

    name: str
    class_name: str
    stream: Stream
    parameters: list[Parameter] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    loop: Loop | None = None
    item: str = "tensor"
    modules: list[str] = field(default_factory=list)
    takes: str = "tensor"


@dataclass
class Instance:
    """A region with its stream, before it is known what it has in common with others."""

    region: Region
    stream: Stream
    creations: list[Creation]

    @property
    def module(self) -> str:
        return self.region.frame.module


def leaves(stream: Stream) -> Iterator[Node]:
    """The nodes of a stream in the order of its text."""
    if isinstance(stream, Leaf):
        yield stream.node
    elif isinstance(stream, (Pipe, Split)):
        for part in stream.parts if isinstance(stream, Pipe) else stream.branches:
            yield from leaves(part)


def skeleton(stream: Stream) -> str:
    """The stream without what its leaves are."""
    if isinstance(stream, Leaf):
        return f"leaf{stream.takes}:{stream.gives}"
    if isinstance(stream, Pipe):
        return "pipe(" + ",".join(map(skeleton, stream.parts)) + ")"
    if isinstance(stream, Split):
        return f"split{stream.duplicate},{stream.in_turns}(" + ",".join(map(skeleton, stream.branches)) + ")"
    if isinstance(stream, Pick):
        return f"pick{stream.numbers},{stream.sizes},{stream.in_turns}"
    if isinstance(stream, Regroup):
        return f"regroup{stream.sizes},{stream.times},{stream.gathers}"
    return f"pass{stream.sizes}"


def arguments_of(instruction: Instruction, own: Written | None) -> list[Argument]:
    if isinstance(own, Sized):  # they stand in its body
        return []
    formals = own.formals if own else STREAMS.get(instruction.op, ())
    found = []
    for i, param in enumerate(instruction.params):
        if isinstance(param, Named):
            found.append(Argument(param.name, True, param.value, param.name.endswith("weights")))
        else:
            formal = formals[i] if i < len(formals) else f"parameter{i + 1}"
            found.append(Argument(formal, False, param, instruction.op == "const"))
    return found


class Namer:
    """Names for declarations, each once."""

    def __init__(self, reserved: set[str]):
        self.taken = set(reserved)

    def name(self, wanted: str) -> str:
        word = name = identifier(wanted)
        count = 1
        while name in self.taken:
            count += 1
            name = f"{word}{count}"
        self.taken.add(name)
        return name


class Definer:
    """Makes the definitions of a region and of all that it uses. `written` are the filters that are not the library's, by operator."""

    def __init__(self, replicate: bool, written: Mapping[str, Written], floats: bool = False):
        self.replicate = replicate
        self.written = written
        self.floats = floats  # a program over floats
        self.namer = Namer(STREAMS.keys() | {"Identity", "FileReader", "FileWriter", "ImageDisplay"} | (PARTS if floats else set()))
        self.definitions: list[Definition] = []
        self.filters: dict[str, tuple[str, Instruction]] = {}  # declaration's name by operator and types
        self.values: dict[int, list[Argument]] = {}  # arguments of a call, by its variable
        self.called: dict[int, Definition] = {}

    def define(self, top: Region, loop: Loop | None = None, ends: bool = True) -> Definition:
        """All definitions, those that others use behind them; the result is the one of the whole model. `ends`: that has files at its ends."""
        name, start = self.namer.name(top.frame.class_name), len(self.definitions)
        levels: dict[int, list[Call]] = {}
        collect(top, levels)
        for height in sorted(levels):
            self.define_level(levels[height])
        whole = self.instance(top)
        # Files are dealt to the branches at the ends.
        stream = with_ends(whole.stream) if ends and not loop else whole.stream
        definition = Definition(name, top.frame.class_name, stream, loop=loop, item=self.item)
        definition.texts = [self.text(creation, None, None) for creation in whole.creations]
        self.definitions.append(definition)
        self.definitions[start:] = reversed(self.definitions[start:])
        return definition

    def define_level(self, calls: list[Call]) -> None:
        groups: dict[object, list[tuple[Call, Instance]]] = {}
        for call in calls:
            assert call.region is not None
            instance = self.instance(call.region)
            groups.setdefault(signature(instance), []).append((call, instance))
        # The plain name goes to what is used most.
        for group in sorted(groups.values(), key=len, reverse=True):
            self.define_group(group)

    @property
    def item(self) -> str:
        return "float" if self.floats else "tensor"

    def instance(self, region: Region) -> Instance:
        stream = decompose(region, self.replicate, reorders=not self.floats)
        if self.floats:
            stream = in_turns(stream, IN_TURNS)
        return Instance(region, stream, [self.creation(node) for node in leaves(stream)])

    def creation(self, node: Node) -> Creation:
        if isinstance(node, Call):
            return Creation(self.called[node.var], self.values[node.var])
        assert node.instruction is not None
        if node.instruction.op in WIRES:
            return Creation("", [])
        return Creation(self.filter_of(node.instruction), arguments_of(node.instruction, self.declared(node.instruction)))

    def declared(self, instruction: Instruction) -> Written | None:
        """What the program itself declares for an operator; None: it is one of the library."""
        if instruction.op in STREAMS and not (self.floats and instruction.op in self.written):
            return None
        return self.written[instruction.op]

    def filter_of(self, instruction: Instruction) -> str:
        """The filter of an operator: of the library, or one that the program declares."""
        declaration = self.declared(instruction)
        if declaration is None:
            return instruction.op
        kind = instruction.op
        if isinstance(declaration, Sized):
            kind += f",{instruction.positional[0]}"
        elif not isinstance(declaration, StreamFilter):  # the types of its parameters are those of what is given
            kind += "".join(f",{shape_of(value)}" for value in instruction.positional)
        if kind not in self.filters:
            self.filters[kind] = (self.namer.name(declaration.name), instruction)
        return self.filters[kind][0]

    def define_group(self, group: list[tuple[Call, Instance]]) -> None:
        first = group[0][1]
        class_name = first.region.frame.class_name
        definition = Definition(self.namer.name(short_name(first.region)), class_name, first.stream, item=self.item)
        columns = Columns([instance for _, instance in group])
        definition.parameters = columns.parameters
        definition.texts = [self.text(creation, first, columns) for creation in first.creations]
        for row, (call, instance) in enumerate(group):
            self.called[call.var] = definition
            self.values[call.var] = columns.values(row, instance)
            if instance.module not in definition.modules:
                definition.modules.append(instance.module)
        self.definitions.append(definition)

    def text(self, creation: Creation, instance: Instance | None, columns: Columns | None) -> str:
        """What is added, where arguments may be parameters of the definition around it."""
        parts = []
        for argument in creation.arguments:
            if columns and id(argument) in columns.names:
                value = columns.names[id(argument)]
            elif columns and instance and id(argument) in columns.relative:
                own = suffix(argument, instance)
                value = f"weights + {literal('.' + own)}" if own else "weights"
            else:
                value = literal(argument.value)
            parts.append(f"{argument.formal} = {value}" if argument.by_name else value)
        return f"{creation.name}({', '.join(parts)})" if creation.name else ""


def collect(region: Region, levels: dict[int, list[Call]]) -> int:
    """All calls below a region by their height; the height of the region itself."""
    height = 0
    for node in region.nodes:
        if isinstance(node, Call) and node.region:
            below = collect(node.region, levels)
            levels.setdefault(below, []).append(node)
            height = max(height, below + 1)
    return height


def short_name(region: Region) -> str:
    return region.frame.class_name.rpartition(".")[2]


def suffix(argument: Argument, instance: Instance) -> str | None:
    """The name of stored values behind the module's own prefix; None if it is not under that."""
    name, module = str(argument.value), instance.module
    if name == module:
        return ""
    return name[len(module) + 1 :] if name.startswith(module + ".") else None


def signature(instance: Instance) -> object:
    """Equal for instances that one definition can stand for."""
    creations = tuple(
        (creation.name, tuple((a.formal, a.by_name, a.stored, shape_of(a.value)) for a in creation.arguments))
        for creation in instance.creations
    )
    return instance.region.frame.class_name, skeleton(instance.stream), creations


def parameter_name(arguments: list[Argument]) -> str:
    """A name for a parameter that is used for these."""
    formals = {argument.formal for argument in arguments}
    if arguments[0].stored:
        return "name"
    return "channels" if {"in_channels", "out_channels"} <= formals else arguments[0].formal.rstrip("0123456789")


class Columns:
    """The arguments of several instances side by side: those that differ become parameters."""

    def __init__(self, instances: list[Instance]):
        self.instances = instances
        self.rows = [[a for creation in i.creations for a in creation.arguments] for i in instances]
        self.names: dict[int, str] = {}  # of parameters, by the identity of the first instance's arguments
        self.relative: set[int] = set()  # those of the first instance's arguments that are behind the module's prefix in all instances
        self.parameters: list[Parameter] = []
        self.columns: list[int] = []
        self.namer = Namer({"weights"})
        for arguments in self.differing().values():
            column, first = arguments[0]
            name = self.namer.name(parameter_name([argument for _, argument in arguments]))
            self.parameters.append(Parameter(type_of(first.value), name))
            self.columns.append(column)
            self.names.update((id(argument), name) for _, argument in arguments)
        if self.relative:
            self.parameters.append(Parameter("String", "weights"))

    def differing(self) -> dict[str, list[tuple[int, Argument]]]:
        """The columns of the arguments that differ, those that always have the same value together."""
        found: dict[str, list[tuple[int, Argument]]] = {}
        for column, argument in enumerate(self.rows[0]):
            values = [row[column] for row in self.rows]
            if not self.same(values):
                found.setdefault(repr([value.value for value in values]), []).append((column, argument))
        return found

    def same(self, values: list[Argument]) -> bool:
        """True if the text of the argument is the same in all instances."""
        if values[0].stored:
            own = {suffix(value, instance) for value, instance in zip(values, self.instances)}
            if len(own) == 1 and own != {None}:
                self.relative.add(id(values[0]))
                return True
        return len({repr(value.value) for value in values}) == 1

    def values(self, row: int, instance: Instance) -> list[Argument]:
        """The arguments with which an instance is created."""
        given = [
            Argument(parameter.name, False, self.rows[row][column].value, self.rows[row][column].stored)
            for parameter, column in zip(self.parameters, self.columns)
        ]
        return given + ([Argument("weights", False, instance.module, True)] if self.relative else [])
