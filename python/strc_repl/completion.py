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
        for item in answer.get("items", []):
            text = item["text"]
            shown = text[text.rstrip("/").rfind("/") + 1 :]  # of a path, what is new
            about = item["about"] or item["kind"]
            yield Completion(text, start_position=answer["from"] - cursor, display=shown, display_meta=about)
