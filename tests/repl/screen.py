"""A terminal for tests: a pseudo-terminal, what is typed into it, and the screen that results."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

import pyte

SECONDS = 300 * float(os.environ.get("STRC_TEST_TIME_FACTOR", "1"))

KEYS = {
    "enter": "\r", "alt-enter": "\x1b\r", "tab": "\t", "escape": "\x1b", "backspace": "\x7f",
    "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
}  # fmt: skip


def key(name):
    return chr(ord(name[-1]) - 96) if re.fullmatch("ctrl-[a-z]", name) else KEYS[name]


class Answering(pyte.HistoryScreen):
    """A screen that tells where its cursor is when it is asked, as terminals do."""

    answer = staticmethod(lambda data: None)

    def write_process_input(self, data):
        self.answer(data)


class Terminal:
    """A command on a terminal of its own. Whatever is waited for is a condition of the screen."""

    def __init__(self, command, columns=80, rows=24, env=None, cwd=None):
        self.screen = Answering(columns, rows, history=20000, ratio=0.5)
        self.screen.answer = self.send
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.status = None
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            try:
                if cwd:
                    os.chdir(cwd)
                os.execvpe(command[0], command, env or os.environ)
            finally:
                os._exit(127)
        self.size(columns, rows)

    def size(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns, rows):
        self.screen.resize(rows, columns)
        self.size(columns, rows)

    def send(self, data):
        data = data.encode() if isinstance(data, str) else data
        while data:
            data = data[os.write(self.master, data) :]

    def type(self, *words):
        """Text as it is; <name> is a key."""
        for word in words:
            for part in re.split("(<[a-z-]+>)", word):
                self.send(key(part[1:-1]) if re.fullmatch("<[a-z-]+>", part) else part)

    def paste(self, text):
        """As a terminal sends what is pasted, once it was told to mark it."""
        self.until(lambda: b"\x1b[?2004h" in self.raw, "bracketed paste")
        self.send("\x1b[200~" + text.replace("\n", "\r") + "\x1b[201~")

    def pump(self, seconds):
        """Feeds the screen for a moment; False at the end of the output."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.master, 1 << 16)
        except OSError:  # nobody has the other side open any more
            return False
        self.raw += data
        self.stream.feed(data)
        return bool(data)

    def lines(self):
        """The screen's, without blanks at their ends and blank lines after the last."""
        lines = [line.rstrip() for line in self.screen.display]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def cursor(self):
        return self.screen.cursor.y, self.screen.cursor.x

    def until(self, holds, what):
        deadline = time.monotonic() + SECONDS
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"never: {what}\n" + self.picture())
            if not self.pump(0.1) and not holds():
                raise AssertionError(f"ended before: {what}\n" + self.picture())

    def shows(self, *lines):
        """Waits until the screen ends with these lines; one may be a compiled expression."""
        def match(have, want):
            return want.fullmatch(have) if isinstance(want, re.Pattern) else have == want.rstrip()

        def holds():
            last = self.lines()[-len(lines) :]
            return len(last) == len(lines) and all(map(match, last, lines))

        self.until(holds, f"the last lines {lines}")

    def has(self, text):
        self.until(lambda: text in "\n".join(self.lines()), f"{text!r} on the screen")

    def colour(self, text):
        """Foreground, boldness of the first character of the text's last occurrence on the screen."""
        for y in reversed(range(self.screen.lines)):
            x = self.screen.display[y].rfind(text)
            if x >= 0:
                cell = self.screen.buffer[y][x]
                return cell.fg, cell.bold
        raise AssertionError(f"no {text!r}\n" + self.picture())

    def picture(self):
        bar = "-" * self.screen.columns
        return "\n".join([bar, *self.lines(), bar, f"cursor {self.cursor()}", f"raw {self.raw[-600:]!r}"])

    def modes(self):
        return termios.tcgetattr(self.master)

    def wait(self):
        """The exit status, as a shell has it."""
        deadline = time.monotonic() + SECONDS
        while self.status is None:
            self.pump(0.02)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > deadline:
                raise AssertionError("never ended\n" + self.picture())
        while self.pump(0) and select.select([self.master], [], [], 0)[0]:
            pass
        return self.status

    def close(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.master)
