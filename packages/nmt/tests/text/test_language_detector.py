"""The unpacked detector of languages: kept, and the same as the packed one."""

import pytest

from docmt_nmt.text.language_detector import load_detector

TEXTS = ["The file is in another folder.", "Le fichier est dans un autre dossier.", "12 / 7"]


def _load():
    return load_detector(lambda labels: {code for code in labels if len(code) == 2})


@pytest.fixture
def unpackings(monkeypatch, tmp_path):
    """The detectors that were unpacked, in an empty cache folder."""
    from py3langid.langid import LanguageIdentifier

    found, unpack = [], LanguageIdentifier.from_model_file

    def from_model_file(*arguments, **keys):
        found.append(unpack(*arguments, **keys))
        return found[-1]

    monkeypatch.setattr(LanguageIdentifier, "from_model_file", from_model_file)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return found


def test_the_detector_is_unpacked_once_and_says_the_same(unpackings):
    first, second = _load(), _load()
    (packed,) = unpackings
    for kept in (first, second):
        assert [kept.rank(text) for text in TEXTS] == [packed.rank(text) for text in TEXTS]
        assert set(kept.labels) == set(packed.labels)


@pytest.mark.slow
def test_damaged_files_are_replaced(unpackings, tmp_path):
    _load()
    (file,) = tmp_path.rglob("scores")
    size = file.stat().st_size
    file.write_bytes(b"\x93NUMPY")
    assert _load().rank(TEXTS[1])[0][0] == "fr"
    assert file.stat().st_size == size and len(unpackings) == 2


@pytest.mark.slow
def test_without_a_cache_folder_the_detector_is_unpacked_each_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert _load().rank(TEXTS[1])[0][0] == "fr"
