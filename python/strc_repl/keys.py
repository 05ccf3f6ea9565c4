"""Keys of the prompt beyond those of Emacs: several lines, and when they are enough."""

from __future__ import annotations

from typing import Callable

from prompt_toolkit.application.current import get_app
from prompt_toolkit.buffer import Buffer, CompletionState
from prompt_toolkit.completion import CompleteEvent, get_common_complete_suffix
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, has_completions, has_selection, is_searching
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

INDENT = "    "


def bindings(is_complete: Callable[[str], bool]) -> KeyBindings:
    keys = KeyBindings()

    @Condition
    def in_indentation() -> bool:
        before = get_app().current_buffer.document.current_line_before_cursor
        return not before.strip() and "\n" in get_app().current_buffer.text

    @Condition
    def on_blank_line() -> bool:
        buffer = get_app().current_buffer
        return not buffer.document.current_line_before_cursor.strip()

    @keys.add(Keys.Enter, filter=~is_searching)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state and buffer.complete_state.current_completion:
            buffer.complete_state = None  # the chosen one stays
        elif not below(buffer.document).strip() and (not buffer.text.strip() or is_complete(buffer.text)):
            buffer.validate_and_handle()
        else:
            # Lines that come faster than keys are pressed are pasted, with their own indentation.
            new_line(buffer, indent=not event.key_processor.input_queue)

    @keys.add(Keys.Escape, Keys.Enter, filter=~is_searching)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    @keys.add("c-o")
    def _(event: KeyPressEvent) -> None:
        new_line(event.current_buffer, indent=True)

    @keys.add("}", filter=on_blank_line)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.current_line_before_cursor.endswith(INDENT) and not event.key_processor.input_queue:
            buffer.delete_before_cursor(len(INDENT))
        buffer.insert_text("}")

    @keys.add("tab", filter=in_indentation & ~has_completions)
    def _(event: KeyPressEvent) -> None:
        column = event.current_buffer.document.cursor_position_col
        event.current_buffer.insert_text(" " * (len(INDENT) - column % len(INDENT)))

    @keys.add("tab", filter=~in_indentation | has_completions)
    def _(event: KeyPressEvent) -> None:
        complete(event.current_buffer)

    @keys.add("backspace", filter=in_indentation & ~has_selection)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        before = buffer.document.current_line_before_cursor
        whole = before and before.count(" ") == len(before)
        buffer.delete_before_cursor(((len(before) - 1) % len(INDENT)) + 1 if whole else 1)

    @keys.add("escape", filter=has_completions, eager=True)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.cancel_completion()

    @keys.add("up", filter=~has_completions & ~is_searching)
    def _(event: KeyPressEvent) -> None:
        go(event.current_buffer, lambda buffer: buffer.auto_up(count=event.arg))

    @keys.add("down", filter=~has_completions & ~is_searching)
    def _(event: KeyPressEvent) -> None:
        go(event.current_buffer, lambda buffer: buffer.auto_down(count=event.arg))

    return keys


def below(document: Document) -> str:
    """The lines below that of the cursor."""
    return document.text_after_cursor.partition("\n")[2]


def go(buffer: Buffer, move: Callable[[Buffer], None]) -> None:
    """A recalled entry is entered at its end, where Enter submits it."""
    entry = buffer.working_index
    move(buffer)
    if buffer.working_index != entry:
        buffer.cursor_position = len(buffer.text)


def complete(buffer: Buffer) -> None:
    """At once: keys that were typed after this one wait. (What prompt_toolkit starts in the background
    would complete what those have made of the text.)"""
    if buffer.complete_state:
        buffer.complete_next()
        return
    asked = CompleteEvent(completion_requested=True)
    found = list(buffer.completer.get_completions(buffer.document, asked))
    if len(found) == 1:
        buffer.apply_completion(found[0])
    elif found:
        common = get_common_complete_suffix(buffer.document, found)
        buffer.insert_text(common)
        found = [each.new_completion_from_position(len(common)) for each in found]
        buffer.complete_state = CompletionState(buffer.document, found)
        buffer.on_completions_changed.fire()


def new_line(buffer: Buffer, indent: bool) -> None:
    before = buffer.document.current_line_before_cursor
    buffer.insert_text("\n" + (indentation(before) if indent else ""))


def indentation(line: str) -> str:
    """What the line after this one begins with."""
    own = line[: len(line) - len(line.lstrip())]
    return own + INDENT if line.rstrip().endswith(("{", "(", "[")) else own
