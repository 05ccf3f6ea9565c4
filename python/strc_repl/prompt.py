"""The prompt: lines in, with all that belongs to editing them."""

from __future__ import annotations

from prompt_toolkit import PromptSession
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History
from prompt_toolkit.layout.processors import HighlightMatchingBracketProcessor

from strc_repl import colours, completion, keys
from strc_repl.core import Core

PROMPT = "strc> "
MORE = " ...> "


class Prompt:
    def __init__(self, core: Core, history: History) -> None:
        self.core = core
        self.session: PromptSession[str] = PromptSession(
            [("class:prompt", PROMPT)],
            multiline=Condition(self.has_several_lines),
            prompt_continuation=continuation,
            key_bindings=keys.bindings(self.is_complete),
            history=history,
            lexer=colours.TokenLexer(core),
            completer=completion.CoreCompleter(core),
            complete_while_typing=False,
            style=colours.STYLE,
            include_default_pygments_style=False,
            color_depth=colours.depth(),
            input_processors=[HighlightMatchingBracketProcessor()],
            enable_suspend=True,
            enable_open_in_editor=True,
            tempfile_suffix=".str",
        )
        # A terminal that cannot say where its cursor is works well enough to need no warning.
        self.session.app.renderer.cpr_not_supported_callback = None

    def read(self, text: str = "") -> str:
        """What was entered. KeyboardInterrupt: given up with Ctrl-C; EOFError: Ctrl-D."""
        return self.session.prompt(default=text)

    def end(self, why: Exception) -> bool:
        """Ends `read`, which then raises `why`; false if nobody is reading. For signal handlers."""
        app = self.session.app
        if not app.is_running or not app.loop:
            return False

        def leave() -> None:
            if app.is_running and not app.is_done:
                app.exit(exception=why)

        app.loop.call_soon_threadsafe(leave)
        return True

    def has_several_lines(self) -> bool:
        """Only then searches and counts are shown below; else in the line itself."""
        return "\n" in self.session.default_buffer.text

    def is_complete(self, text: str) -> bool:
        """Nothing is waited for that the core cannot say: evaluating it will tell what is wrong."""
        return self.core.ask("check", text=text).get("complete", True) is not False


def continuation(width: int, line: int, wrapped: int) -> StyleAndTextTuples:
    return [("class:prompt.more", MORE if not wrapped else " " * width)]
