"""Read, evaluate, print, until Ctrl-D."""

from __future__ import annotations

import signal
import sys
import time
from typing import Optional

from prompt_toolkit import prompt as ask_line

from strc_repl import colours
from strc_repl.core import Core, CoreDied, Message
from strc_repl.history import history
from strc_repl.prompt import Prompt
from strc_repl.terminal import Running, Terminal

STUBBORN = 1.0  # seconds after which a run that was to stop may be told to end with its core
RESTART = "Start it again with the declarations made so far? [Y]es, [e]mpty, [q]uit: "


class Leave(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Session:
    def __init__(self, core: Core) -> None:
        self.core = core
        self.history = history()
        self.declarations: list[str] = []  # what to enter again in a fresh core
        self.at_line_start = True
        self.interrupted: Optional[float] = None
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]

    def run(self) -> int:
        """The exit status."""
        with Terminal() as self.terminal:
            for number in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, self.leave_by_signal)
            try:
                self.prompt = Prompt(self.core, self.history)
                while True:
                    self.enter(self.read())
            except Leave as leave:
                return leave.status
            except EOFError:
                return 0
            finally:
                self.core.end()

    def leave_by_signal(self, number: int, _: object) -> None:
        raise Leave(128 + number)

    def read(self) -> str:
        while True:
            try:
                return self.prompt.read()
            except KeyboardInterrupt:
                continue  # what was typed is given up
            finally:
                self.write(getattr(self.history, "trouble", ""))
                self.history.trouble = ""  # type: ignore[attr-defined]

    def enter(self, text: str) -> None:
        if not text.strip():
            return
        try:
            answer = self.evaluate(text)
        except CoreDied as death:
            self.bury(str(death))
            return
        self.show(answer)
        if answer.get("declared"):
            self.declarations.append(text)
        if answer.get("quit"):
            raise Leave(0)

    def evaluate(self, text: str) -> Message:
        self.interrupted = None
        with Running(self.terminal, self.interrupt, self.core.signal):
            return self.core.request("eval", self.event, text=text, width=self.terminal.width(), color=colours.wanted())

    def event(self, message: Message) -> None:
        if message["event"] == "output":
            self.write(message["text"], flush=not self.core.has_more())

    def show(self, answer: Message) -> None:
        self.write(answer.get("text", ""))
        if not self.at_line_start:
            self.write("\n")
        sys.stdout.flush()

    def write(self, text: str, flush: bool = True) -> None:
        if text:
            sys.stdout.write(text)
            self.at_line_start = text.endswith("\n")
        if flush:
            sys.stdout.flush()

    def interrupt(self) -> None:
        """Ctrl-C: the core is to stop; one that does not is ended by a later Ctrl-C."""
        now = time.monotonic()
        if self.interrupted is None:
            self.interrupted = now
            self.core.signal(signal.SIGINT)
        elif now - self.interrupted > STUBBORN:
            self.core.signal(signal.SIGKILL)

    def bury(self, fate: str) -> None:
        """The core died: what is known of it, and a new one."""
        if not self.at_line_start:
            self.write("\n")
        self.write(f"strc: the interpreter ended {fate}.\n")
        kept = self.declarations if self.wants_declarations() else []
        self.declarations = []
        try:
            self.core.start()
            for text in kept:
                if not self.evaluate(text).get("ok"):
                    self.write(f"strc: no longer accepted: {text.strip().splitlines()[0]}\n")
                else:
                    self.declarations.append(text)
        except (CoreDied, OSError) as death:
            self.write(f"strc: it ended again, {death}\n")
            raise Leave(70) from None

    def wants_declarations(self) -> bool:
        while True:
            try:
                reply = ask_line(RESTART, color_depth=colours.depth()).strip().lower()
            except KeyboardInterrupt:
                continue
            if reply in ("", "y", "yes"):
                return True
            if reply in ("e", "empty"):
                return False
            if reply in ("q", "quit"):
                raise Leave(70)
