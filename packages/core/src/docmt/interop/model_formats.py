"""Tables of `model_formats.json`: names, defaults and files of the formats of other programs."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

MODEL_FORMATS: dict[str, dict[str, Any]] = json.loads(
    files("docmt.interop").joinpath("model_formats.json").read_text("utf-8")
)
"""The tables by format."""
