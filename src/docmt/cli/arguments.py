"""Arguments that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

RecipeName = Annotated[
    str, typer.Argument(metavar="RECIPE", help="A bundled recipe's name, or a YAML file.")
]
Overrides = Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE", help="Keys to change.")]
