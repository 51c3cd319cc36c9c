"""The one exception a user meets.

A mistake a user can mend is an `InputError`: its message names the file, the line and
what to do. The command line prints it without a traceback and exits with code 2.
Anything else that is raised is a bug of docmt.
"""

from __future__ import annotations

import os


class InputError(ValueError):
    """Something the user gave cannot be used.

    Args:
        problem: what is wrong, in one sentence without a full stop.
        cure: what to do about it, in one sentence without a full stop, or a question.
        path: the file it is about.
        line: the line in that file, counted from 1.
    """

    def __init__(
        self,
        problem: str,
        *,
        cure: str | None = None,
        path: str | os.PathLike[str] | None = None,
        line: int | None = None,
    ) -> None:
        self.problem, self.cure, self.path, self.line = problem, cure, path, line
        place = "" if path is None else str(path)
        if line is not None:
            place += f"{', ' if place else ''}line {line}"
        message = f"{place}: {problem}" if place else problem
        end = "" if cure is None or cure.endswith("?") else "."
        super().__init__(message + (f". {cure}{end}" if cure else ""))
