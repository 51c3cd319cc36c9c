"""The front matter of Markdown: titles and descriptions are translated, settings stay."""

from __future__ import annotations

import pytest
from ruamel.yaml import YAML

from docmt_files.markup import markdown

FRONT_MATTER = """\
---
layout: a page
title: Share a workbook
description: "Say \\"hi\\" to it"
summary: 'It''s so'
sidebar_label: Hello {name}
excerpt: {one: two}
subtitle: no
  title: nested
linkTitle: This goes on
  in the next line
author: Jane Doe
---

# Share a workbook
"""


@pytest.mark.parametrize(
    ("title", "written"),
    [
        ("Eine Mappe teilen", "Eine Mappe teilen"),
        ("Mappe: teilen #1", "Mappe:\u00a0teilen\u00a0#1"),
        ('"Mappe" teilen', '\u00a0"Mappe" teilen'),
        ("Teilen Sie:", "Teilen Sie:\u00a0"),
        ("Null", "\u00a0Null"),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_titles_and_descriptions_in_front_matter_are_translated(tmp_path, title, written, line_end):
    path = tmp_path / "page.md"
    path.write_bytes(FRONT_MATTER.replace("\n", line_end).encode())
    documents, skeleton = markdown.read(path, "en")
    assert documents[0].source == (
        "Share a workbook",
        'Say "hi" to it',
        "It's so",
        "Share a workbook",
    )
    targets = [title, 'Sag "hallo" \\ dazu', "Ist's so", "wird gleich"]
    filled = skeleton.fill([documents[0].translated(targets)]).replace("\r\n", "\n")
    expected = (
        FRONT_MATTER.replace("title: Share a workbook", f"title: {written}")
        .replace('"Say \\"hi\\" to it"', '"Sag \\"hallo\\" \\\\ dazu"')
        .replace("It''s so", "Ist''s so")
    )
    assert filled.rsplit("\n# ", 1)[0] == expected.rsplit("\n# ", 1)[0]
    values = YAML(typ="safe").load(filled.split("---")[1].replace("  title: nested\n", ""))
    assert values["title"].strip() == title.replace(": ", ":\u00a0").replace(" #", "\u00a0#")
    assert values["description"] == targets[1]
    assert values["summary"] == targets[2]
