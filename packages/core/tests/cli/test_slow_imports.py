"""What is slow to import is imported where it is needed."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent


def test_what_is_slow_to_import_is_imported_where_it_is_needed(tiny_run):
    # One process, for most of the time of each would go into importing torch.
    code = f"""
        import sys
        from contextlib import suppress

        import docmt
        from docmt.cli import main

        docmt.load({str(tiny_run.directory)!r})
        assert not {{"docmt_research", "docmt_nmt.training", "transformers"}} & set(sys.modules)

        with suppress(SystemExit):
            main(["recipes", "show", "sentence"])
        assert not {{"torch._dynamo", "pyarrow", "accelerate", "sacrebleu"}} & set(sys.modules)

        import docmt.translating
        from docmt_nmt.text.language_detection import other_language

        assert other_language(["Bonjour."], "en") is None
        assert not {{"py3langid", "babel"}} & set(sys.modules), "texts this short have no language"
    """
    command = [sys.executable, "-c", dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "d_model" in done.stdout
