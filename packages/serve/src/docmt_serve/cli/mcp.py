"""`docmt mcp`: translation for chats and editors, by the Model Context Protocol."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from docmt_files.base.errors import InputError
from docmt_serve.cli.served_models import RUNS, SEARCH, load_models


def mcp(
    runs: Annotated[list[str] | None, RUNS] = None,
    *,
    root: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder with files that may be read and written, beside those that the program "
            "grants; several times for several.",
        ),
    ] = None,
    search: Annotated[Mapping[str, Any], SEARCH],
) -> None:
    """Translate for a chat or an editor, which starts this command and speaks the Model Context
    Protocol over standard input and output.

    It translates texts and files, looks up memories and glossaries, and checks translations. Files
    are read and written below the folders that the program or `--root` grants.
    """
    from docmt_serve.mcp.mcp_server import make_server

    for folder in root or ():
        if not folder.is_dir():
            raise InputError("is not a folder", path=folder, cure="Check the path")
    make_server(load_models(runs, search), root or (), names={"root": "--root"}).run()
