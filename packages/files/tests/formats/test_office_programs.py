"""LibreOffice opens what docmt has written of files that LibreOffice has written."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pptx as python_pptx
import pytest

from docmt_files import Input
from docmt_files.format_registry import format_named
from formats.every_format import samples_of, write_sample

pytestmark = [
    pytest.mark.office,
    pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is missing"),
]

PAGE = """\
<html lang="en"><head><title>The pump</title></head><body><h1>The pump</h1>
<p>Press the <b>red</b> button, then <i>read <a href="http://a.b">the manual</a></i>.</p>
<ul><li>One thing<li>Another <u>thing</u></ul>
<table border="1"><tr><td>Part</td><td>Number</td></tr><tr><td>The pump</td><td>12</td></tr></table>
<p>One line<br>and another.</p></body></html>
"""


def convert(folder: Path, target: str, *files: Path) -> None:
    """Convert files, all in one run of the program, which takes seconds to start."""
    profile = f"-env:UserInstallation=file://{folder}/profile"
    subprocess.run(
        ["soffice", "--headless", profile, "--convert-to", target, "--outdir", folder, *files],
        check=True,
        capture_output=True,
        timeout=240,
    )


def test_translated_files_are_opened_with_all_their_words(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    convert(tmp_path, "docx:MS Word 2007 XML", tmp_path / "page.html")
    presentation = python_pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.shapes.title.text = "The pump"
    slide.placeholders[1].text_frame.text = "Press the red button."
    presentation.save(str(tmp_path / "slides.pptx"))
    files = [tmp_path / "page.docx", tmp_path / "slides.pptx"]
    for name in ("docx", "xlsx"):
        for sample, content in samples_of(format_named(name)).SAMPLES.items():
            files.append(write_sample(tmp_path, sample, content))
    out = tmp_path / "out"
    out.mkdir()
    words = {}
    for file in files:
        (document,), skeleton = Input().read(file, "en", "de")
        numbered = [f"Wort{n} {'x' * (n % 5)}." for n in range(len(document.source))]
        target = document.translated(numbered)
        (out / file.name).write_bytes(skeleton.fill_and_report([target]).data)
        words[file.name] = [sentence.split()[0] for sentence in numbered]
    convert(out, "pdf", *(out / file.name for file in files))
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is missing")
    for file in files:
        pdf = out / f"{file.stem}.pdf"
        shown = subprocess.run(["pdftotext", pdf, "-"], check=True, capture_output=True, text=True)
        seen = [word for word in words[file.name] if word in shown.stdout]
        # Notes, comments and titles of files are not on the pages.
        assert len(seen) > len(words[file.name]) // 2, (file.name, words[file.name], shown.stdout)
