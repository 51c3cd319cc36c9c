"""Signatures: the settings and data behind a number, in one line to be quoted with it. Numbers with
different signatures are not comparable."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from importlib.metadata import version
from typing import Any


def signature(data: Iterable[Any], **settings: object) -> str:
    """A signature in the form of sacreBLEU's, `key:value` separated by `|`.

    Args:
        data: the measured data, as values for JSON. The data is named by the first digits of the
            SHA-256 digest.
        settings: the settings of the measurement. Settings of None are left out.
    """
    digest = sha256()
    for one in data:
        digest.update(json.dumps(one, ensure_ascii=False).encode())
    values = {"data": digest.hexdigest()[:8], **settings, "version": version("docmt-nmt")}
    return "|".join(f"{key}:{value}" for key, value in values.items() if value is not None)
