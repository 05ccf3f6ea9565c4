"""What may follow, as the core says: names, commands, paths."""

from __future__ import annotations

from typing import Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from strc_repl.core import Core


class CoreCompleter(Completer):
    def __init__(self, core: Core) -> None:
        self.core = core

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        cursor = document.cursor_position
        answer = self.core.ask("complete", text=document.text, cursor=cursor)
        for candidate in answer.get("candidates", []):
            yield Completion(
                candidate["text"],
                start_position=candidate.get("start", answer.get("start", cursor)) - cursor,
                display=candidate.get("display", candidate["text"]),
                display_meta=candidate.get("detail", ""),
            )
