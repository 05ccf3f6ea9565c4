"""The terminal between prompts: how it is while a request runs, and that it is as it was in the end."""

from __future__ import annotations

import os
import signal
import sys
import termios
from types import FrameType
from typing import Any, Callable, Optional

# No bracketed paste, the cursor seen, plain colours: what a prompt that was cut off may leave behind.
PLAIN = "\x1b[?2004l\x1b[?25h\x1b[0m"
ECHO_AND_LINES = termios.ECHO | termios.ICANON


class Terminal:
    """Standard input as a terminal. Within the `with`, what is typed while no prompt is there is kept for
    the next one, and not shown amid the output. Leaving it puts the terminal back as it was found."""

    def __enter__(self) -> "Terminal":
        self.descriptor = sys.stdin.fileno()
        self.found = termios.tcgetattr(self.descriptor)
        self.quiet()
        return self

    def __exit__(self, *_: object) -> None:
        self.restore()
        try:
            sys.stdout.write(PLAIN)
            sys.stdout.flush()
        except OSError:
            pass  # the terminal itself is gone

    def quiet(self) -> None:
        modes = list(self.found)
        modes[3] &= ~ECHO_AND_LINES
        self.set(modes)

    def restore(self) -> None:
        self.set(self.found)

    def set(self, modes: list[Any]) -> None:
        # In the background, or with the terminal gone: no reason to stop.
        before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        try:
            termios.tcsetattr(self.descriptor, termios.TCSADRAIN, modes)
        except termios.error:
            pass
        finally:
            signal.signal(signal.SIGTTOU, before)

    def width(self) -> int:
        try:
            return os.get_terminal_size(sys.stdout.fileno()).columns or 80
        except OSError:
            return 80


class Running:
    """While a request runs: Ctrl-C calls `interrupt`, Ctrl-\\ ends the core, Ctrl-Z stops it with us.
    `send` sends the core a signal."""

    def __init__(self, terminal: Terminal, interrupt: Callable[[], None], send: Callable[[int], None]) -> None:
        self.terminal = terminal
        self.interrupt = interrupt
        self.send = send

    def __enter__(self) -> None:
        self.before = {
            signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: self.interrupt()),
            signal.SIGQUIT: signal.signal(signal.SIGQUIT, lambda *_: self.send(signal.SIGKILL)),
            signal.SIGTSTP: signal.signal(signal.SIGTSTP, self.suspend),
        }

    def __exit__(self, *_: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def suspend(self, number: int, _: Optional[FrameType]) -> None:
        self.send(signal.SIGSTOP)
        self.terminal.restore()
        mine = signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, mine)
        self.terminal.quiet()
        self.send(signal.SIGCONT)
