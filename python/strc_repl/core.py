"""The core as a child process: one request a line, one answer a line, events in between."""

from __future__ import annotations

import collections
import json
import os
import select
import signal
import subprocess
import time
from typing import Any, Callable, Optional

Message = dict[str, Any]
PATIENCE = 3.0  # seconds for what somebody waits for who has pressed a key


class CoreDied(Exception):
    """The core is gone; says how."""


class Late(Exception):
    """The core took longer than the patience of the request."""


class Core:
    """Requests to one core process after the other: `start` begins a fresh one."""

    def __init__(self, command: list[str]) -> None:
        self.command = command
        self.start()

    def start(self) -> None:
        # A session of its own: the terminal's Ctrl-C is for us, who then ask the core to stop.
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        assert self.process.stdin and self.process.stdout
        self.to_core = self.process.stdin.fileno()
        self.from_core = self.process.stdout.fileno()
        self.lines: collections.deque[bytes] = collections.deque()
        self.partial: list[bytes] = []
        self.last_id = 0
        self.fate = ""  # how it ended

    def request(
        self,
        op: str,
        on_event: Optional[Callable[[Message], None]] = None,
        patience: Optional[float] = None,
        **fields: Any,
    ) -> Message:
        """The answer. Events before it go to `on_event`; with a patience, Late after so many seconds."""
        self.last_id += 1
        until = None if patience is None else time.monotonic() + patience
        self.send({"id": self.last_id, "op": op, **fields})
        while True:
            message = self.receive(until)
            if "event" in message:
                if on_event:
                    on_event(message)
            elif message.get("id") == self.last_id:  # else one that was given up
                return message

    def ask(self, op: str, patience: float = PATIENCE, **fields: Any) -> Message:
        """The answer to what is asked while somebody types; empty if it does not come soon."""
        try:
            return self.request(op, patience=patience, **fields)
        except (Late, CoreDied):
            return {}  # of a death, the next evaluation tells

    def send(self, message: Message) -> None:
        if self.fate:
            raise CoreDied(self.fate)
        data = (json.dumps(message) + "\n").encode()
        try:
            while data:
                data = data[os.write(self.to_core, data) :]
        except BrokenPipeError:
            raise self.died() from None

    def receive(self, until: Optional[float]) -> Message:
        while not self.lines:
            self.wait_for_data(until)
            chunk = os.read(self.from_core, 1 << 16)
            if not chunk:
                raise self.died()
            self.partial.append(chunk)
            if b"\n" in chunk:
                *whole, rest = b"".join(self.partial).split(b"\n")
                self.lines.extend(whole)
                self.partial = [rest]
        line = self.lines.popleft().decode(errors="replace")
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        # What else comes is from code that writes past the core, such as a native function.
        return message if isinstance(message, dict) else {"event": "output", "text": line + "\n"}

    def wait_for_data(self, until: Optional[float]) -> None:
        if until is not None:
            left = max(0.0, until - time.monotonic())
            if not select.select([self.from_core], [], [], left)[0]:
                raise Late()

    def has_more(self) -> bool:
        """Whether another message may be there at once."""
        return bool(self.lines) or bool(select.select([self.from_core], [], [], 0)[0])

    def signal(self, number: int) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)

    def died(self) -> CoreDied:
        self.close_pipes()
        status = self.process.wait()
        self.fate = f"with exit status {status}"
        if status < 0:
            self.fate = f"by signal {-status}, {signal.strsignal(-status) or 'of no name'}"
        return CoreDied(self.fate)

    def end(self) -> None:
        """Lets the core leave, also one that is at work; kills one that does not."""
        self.signal(signal.SIGTERM)
        self.close_pipes()
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def close_pipes(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass
