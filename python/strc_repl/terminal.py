"""The terminal between prompts: how it is while a request runs, and that it is as it was in the end."""

from __future__ import annotations

import os
import signal
import sys
import termios
from typing import Any

# No bracketed paste, the cursor seen, plain colours: what a prompt that was cut off may leave behind.
PLAIN = "\x1b[?2004l\x1b[?25h\x1b[0m"
ECHO_AND_LINES = termios.ECHO | termios.ICANON


class Terminal:
    """Standard input as a terminal. Within the `with`, what is typed while no prompt is there is kept for
    the next one, and not shown amid the output. Leaving it puts the terminal back as it was found."""

    def __enter__(self) -> Terminal:
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
        modes[3] |= termios.NOFLSH  # Ctrl-C keeps what was typed ahead
        self.set(modes)

    def restore(self) -> None:
        self.set(self.found)

    def suspend(self) -> None:
        """Stops this process, as Ctrl-Z does; returns when it goes on."""
        now = termios.tcgetattr(self.descriptor)
        self.restore()
        before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, before)
        self.set(now)

    def forget_keys(self) -> None:
        """What was typed ahead is not meant for what comes now."""
        termios.tcflush(self.descriptor, termios.TCIFLUSH)

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
