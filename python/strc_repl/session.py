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
from strc_repl.terminal import Terminal

STUBBORN = 1.0  # seconds after which a second Ctrl-C is told what else there is
BANNER = "StreamIt at the prompt. :help helps, Ctrl-D leaves.\n"
RESTART = "Start it again with the declarations made so far? [Y]es, [e]mpty, [q]uit: "


class Leave(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Session:
    def __init__(self, core: Core, files: list[str]) -> None:
        """The files are loaded first."""
        self.core = core
        self.files = files
        self.history = history()
        self.prompt = Prompt(core, self.history)
        self.declarations: list[str] = []  # what to enter again in a fresh core
        self.at_line_start = True
        self.running = False
        self.interrupted: Optional[float] = None  # when the first Ctrl-C of this run was
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]

    def run(self) -> int:
        """The exit status."""
        with Terminal() as self.terminal:
            self.handle_signals()
            try:
                self.greet()
                while True:
                    self.enter(self.read())
            except Leave as leave:
                return leave.status
            except EOFError:
                return 0
            finally:
                self.core.end()

    def greet(self) -> None:
        """Waits for the core: one that does not even start has said why, and there is nothing to ask."""
        try:
            self.core.request("check", text="")
        except CoreDied:
            status = self.core.process.returncode
            raise Leave(status if status > 0 else 70) from None
        self.write(BANNER)
        for file in self.files:
            self.enter(f':load "{file}"')

    def read(self) -> str:
        while True:
            try:
                return self.prompt.read()
            except KeyboardInterrupt:
                continue  # what was typed is given up
            finally:
                self.handle_signals()  # the prompt had handlers of its own
                self.write(self.history.trouble)
                self.history.trouble = ""

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
        self.running = True
        try:
            return self.core.request(
                "eval", self.event, text=text, width=self.terminal.width(), color=colours.wanted(), value=False
            )
        finally:
            self.running = False

    def event(self, message: Message) -> None:
        if message["event"] == "output":
            self.write(message["text"], flush=not self.core.has_more())

    def show(self, answer: Message) -> None:
        self.end_line()
        for each in answer.get("diagnostics", []):
            self.write(each["text"])
            self.end_line()

    def end_line(self) -> None:
        if not self.at_line_start:
            self.write("\n")

    def write(self, text: str, flush: bool = True) -> None:
        if text:
            sys.stdout.write(text)
            self.at_line_start = text.endswith("\n")
        if flush:
            sys.stdout.flush()

    # ---- signals
    def handle_signals(self) -> None:
        signal.signal(signal.SIGINT, lambda *_: self.interrupt())
        signal.signal(signal.SIGQUIT, lambda *_: self.core.signal(signal.SIGKILL))
        signal.signal(signal.SIGTSTP, lambda *_: self.suspend())
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _: self.leave_by_signal(number))

    def interrupt(self) -> None:
        if not self.running:
            return
        now = time.monotonic()
        self.interrupted = self.interrupted or now
        self.core.signal(signal.SIGINT)
        if now - self.interrupted > STUBBORN:
            self.end_line()
            self.write("strc: asked to stop; Ctrl-\\ ends the interpreter if it does not\n")

    def suspend(self) -> None:
        self.core.signal(signal.SIGSTOP)
        self.terminal.suspend()
        self.core.signal(signal.SIGCONT)

    def leave_by_signal(self, number: int) -> None:
        if not self.prompt.end(Leave(128 + number)):  # else it ends by itself, having tidied up
            raise Leave(128 + number)

    # ---- a core that died
    def bury(self, fate: str) -> None:
        """Says what is known, and starts a new one."""
        self.end_line()
        self.write(f"strc: the interpreter ended {fate}.\n")
        kept = self.declarations if self.wants_declarations() else []
        self.declarations = []
        try:
            self.core.start()
            for text in kept:
                if self.evaluate(text).get("ok"):
                    self.declarations.append(text)
                else:
                    self.write(f"strc: no longer accepted: {text.strip().splitlines()[0]}\n")
        except (CoreDied, OSError) as death:
            self.write(f"strc: it ended again, {death}\n")
            raise Leave(70) from None

    def wants_declarations(self) -> bool:
        self.terminal.forget_keys()
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
