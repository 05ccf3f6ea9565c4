"""Commands of gdb for programs of strc that were compiled with -g: `source strc_gdb.py`, then

    strc instance      which instance of the graph is firing: its path, what its parameters are, its fields, and where it comes from
    strc channels      the channels with the items in their memory; `strc channels TEXT` those with TEXT in the name

docs/debugging.md tells more.
"""

import gdb

RING = "ring of "


def frames(frame=None):
    """The frame, by default the selected one, and those that called it."""
    frame = frame or gdb.selected_frame()
    while frame is not None and frame.is_valid():
        yield frame
        frame = frame.older()


def variable(frame, name):
    """The value of the frame's variable, or None: there is none, or it is not there at the moment."""
    try:
        value = frame.read_var(name)
    except ValueError:
        return None
    return None if value.is_optimized_out else value


def firing():
    """The innermost frame that belongs to an instance, or None: also if a caller of it is selected."""
    for frame in (*frames(), *frames(gdb.newest_frame())):
        if variable(frame, "strc_instance") is not None:
            return frame
    return None


def state():
    """The memory of the run, by the phase that is under way, or None."""
    for frame in frames():
        pointer = variable(frame, "strc_state")
        if pointer is not None:
            return pointer.dereference()
    return None


def symbols(frame):
    """Variables of the function and its blocks around the place of the frame, inner ones first."""
    seen = set()
    block = frame.block()
    while block is not None:
        for symbol in block:
            if (symbol.is_variable or symbol.is_constant) and symbol.name not in seen:
                seen.add(symbol.name)
                yield symbol
        if block.function is not None:
            return
        block = block.superblock


def text(value):
    try:
        return value.format_string(max_elements=gdb.parameter("print elements") or 0)
    except gdb.error as fault:
        return f"<{fault}>"


def is_constant(symbol):
    """Parameters of streams are the constants among the variables."""
    return str(symbol.type).startswith("const ")


def length(value):
    low, high = value.type.range()
    return high - low + 1


class Instance(gdb.Command):
    """Which instance of the graph is firing: its path, the values of its parameters, its fields."""

    def __init__(self):
        super().__init__("strc instance", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        frame = firing()
        if frame is None:
            raise gdb.GdbError("No filter is firing here, or the program was not compiled with -g.")
        path = text(variable(frame, "strc_instance"))
        print(f"{path}, in {frame.name()}")
        parameters = [symbol for symbol in symbols(frame) if is_constant(symbol)]
        for symbol in parameters:
            print(f"  parameter {symbol.name} = {text(symbol.value(frame))}")
        for name, what in (("strc_input", "looks at"), ("strc_output", "pushes")):
            window = variable(frame, name)
            if window is not None:
                count = length(window)
                print(f"  {what} {count} item{'' if count == 1 else 's'}")
        self.fields(path)
        self.stage(frame)

    @staticmethod
    def stage(frame):
        """Where the instance comes from: the streams around it, their parameters, the variables of their loops."""
        number = int(variable(frame, "strc_instance"))
        try:
            text = gdb.parse_and_eval("strc_stages")[number].string()
        except gdb.error:
            return
        for line in text.splitlines():
            print(f"  {line}")

    @staticmethod
    def fields(path):
        memory = state()
        if memory is None or path not in [field.name for field in memory.type.fields()]:
            return
        for field in memory[path].type.fields():
            print(f"  field {field.name} = {text(memory[path][field.name])}")


class Channels(gdb.Command):
    """The channels with what is in their memory; with an argument those that have it in their name.

    The first items of a channel stay there between steady states. What else is to be read, and what
    was read already, depends on the step that is under way: `strc_input` and `strc_output` of a firing are
    its windows, of which `strc_popped` and `strc_pushed` items are done."""

    def __init__(self):
        super().__init__("strc channels", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        memory = state()
        if memory is None:
            raise gdb.GdbError("The program is not within a phase, or was not compiled with -g.")
        windows = self.windows()
        found = False
        for field in memory.type.fields():
            if " -> " not in field.name or field.name.startswith(RING) or argument.strip() not in field.name:
                continue
            found = True
            self.show(field.name, memory[field.name], windows)
            self.show_ring(field.name, memory)
        if not found:
            raise gdb.GdbError("There is no such channel.")

    @staticmethod
    def windows():
        """What the firing does with which memory: (address, sentence)."""
        frame = firing()
        if frame is None:
            return []
        found = []
        for name, counter, done in (
            ("strc_input", "strc_popped", "popped"),
            ("strc_output", "strc_pushed", "pushed"),
        ):
            window, count = variable(frame, name), variable(frame, counter)
            if window is None or window.address is None:
                continue
            told = f", {int(count)} {done}" if count is not None else ""
            found.append((int(window.address), f"window of {length(window)}{told}"))
        return found

    @staticmethod
    def show(name, channel, windows):
        items = channel["items"]
        if items.type.code != gdb.TYPE_CODE_ARRAY or length(items) <= 0:
            print(f"{name}: empty")
            return
        staying = length(channel["staying"])
        size = items.type.target().sizeof
        start = int(items.address)
        notes = [f"{staying} stay{'s' if staying == 1 else ''}"] if staying > 0 else []
        for address, what in windows:
            if start <= address < start + length(items) * size:
                notes.append(f"{what} from item {(address - start) // size}")
        print(f"{name}: {', '.join([f'{items.type}', *notes])}")
        print(f"  {text(items)}")


    @staticmethod
    def show_ring(name, memory):
        """Of --tapes=ring: which items are there, counted from the start of the program."""
        if RING + name in [field.name for field in memory.type.fields()]:
            ring = memory[RING + name]
            print(f"  a ring: items {int(ring['read'])} to before {int(ring['written'])} are there")


gdb.Command("strc", gdb.COMMAND_DATA, prefix=True)
Instance()
Channels()
