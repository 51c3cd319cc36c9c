"""Arguments that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

RecipeName = Annotated[
    str, typer.Argument(metavar="RECIPE", help="Name of a bundled recipe, or path of a YAML file.")
]
Overrides = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="KEY=VALUE", help="Keys to change, for example `training.max_steps=500`."
    ),
]
