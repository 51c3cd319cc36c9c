"""The formats alone: any function of strings translates a file, without a model."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from docx import Document as WordFile

from docmt_files import read

PAGE = Path(__file__).parents[4] / "docs" / "how-to" / "use-formats-as-a-library.md"
FIRST, WITH_WORDS, OTHER_INPUTS = re.findall(
    r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)

ALONE = """
import sys
sys.modules.update(dict.fromkeys(
    ["torch", "transformers", "accelerate", "safetensors", "numpy", "babel", "scipy", "pyarrow"]
))
"""

MODULES = """
import sys
docmt = {name.partition(".")[0] for name in sys.modules if name.startswith("docmt")}
assert docmt == {"docmt_files"}, docmt
"""


def run(code: str, folder: Path) -> str:
    """Run code in a process of its own without the packages of models, and return the output."""
    command = [sys.executable, "-c", ALONE + code]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def report(tmp_path):
    """A Word file with bold words, a heading and a table."""
    file = WordFile()
    file.add_heading("The report", 1)
    paragraph = file.add_paragraph("Press the ")
    paragraph.add_run("red button").bold = True
    paragraph.add_run(". Then wait for Dr. Weber.")
    file.add_table(1, 2).cell(0, 1).text = "A cell"
    file.save(tmp_path / "report.docx")
    return tmp_path


def test_five_lines_translate_a_word_file(report):
    assert len([line for line in FIRST.splitlines() if line.strip()]) == 5
    run(FIRST + MODULES, report)
    file = WordFile(report / "report.de.docx")
    assert [each.text for each in file.paragraphs] == [
        "THE REPORT",
        "PRESS THE RED BUTTON. THEN WAIT FOR DR. WEBER.",
    ]
    assert [run.text for run in file.paragraphs[1].runs if run.bold] == ["RED BUTTON"]
    assert file.paragraphs[0].style.name == "Heading 1"
    assert file.tables[0].cell(0, 1).text == "A CELL"


def test_reading_loads_what_it_needs_and_no_more(report):
    run("import docmt_files" + MODULES + 'assert "regex" not in sys.modules', report)
    code = 'from docmt_files import read\n(document,), file = read("report.docx", "en")\n'
    output = run(code + MODULES + "print(*document.source, sep=chr(10))", report)
    assert output.splitlines()[1:3] == ["Press the red button.", "Then wait for Dr. Weber."]
    unneeded = '\nassert "markdown_it" not in sys.modules'
    run(code + MODULES + unneeded, report)


@pytest.mark.parametrize("target", ["Öffne {name}", "Öffne das"])
def test_a_placeholder_is_in_the_output_once_whatever_an_engine_does(tmp_path, target):
    (tmp_path / "messages.po").write_text('msgid "Open {name}"\nmsgstr ""\n')
    code = WITH_WORDS.replace('sentence.replace("Open", "Öffne")', repr(target))
    run(code if target == "Öffne das" else WITH_WORDS, tmp_path)
    written = (tmp_path / "messages.de.po").read_text()
    assert written.count("{name}") == 2
    assert "Öffne" in written and ("das" in written) == ("das" in target)


def test_inputs_of_other_kinds_are_read(tmp_path):
    (tmp_path / "products.csv").write_text("id,text\n1,One word\n")
    (tmp_path / "lines.txt").write_text("One.\nTwo.\n")
    (tmp_path / "memory.tmx").write_text(
        '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>One</seg></tuv>'
        "</tu></body></tmx>"
    )
    assert run(OTHER_INPUTS + "print(documents[0].source)" + MODULES, tmp_path) == (
        "('One.', 'Two.')\n"
    )


def test_read_is_input_with_its_defaults(report):
    documents, file = read(report / "report.docx", "en")
    assert documents[0].source[0] == "The report"
    file.write([each.translated(each.source) for each in documents], report / "same.docx")
    assert (report / "same.docx").read_bytes() == (report / "report.docx").read_bytes()
