"""`training.log_attention`: attention and gates in the log, at each validation."""

from __future__ import annotations

import pytest

from toy import log_lines, trained, write_toy_corpus

SYSTEM = {
    "system": {
        "name": "g-transformer",
        "layers": 2,
        "encoder_context_layers": 1,
        "decoder_context_layers": 1,
        "cross_context_layers": 1,
    }
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    write_toy_corpus(folder, documents=20)
    return folder


@pytest.fixture(scope="module")
def run(corpus, tmp_path_factory):
    return trained(
        corpus,
        tmp_path_factory.mktemp("runs") / "run",
        **SYSTEM,
        training={"max_steps": 2, "validate_every": 1, "log_attention": True},
    )


def test_each_validation_logs_entropies_and_gates(run):
    lines = log_lines(run, "valid")
    assert len(lines) == 2
    for line in lines:
        assert set(line["attention_entropy"]) == {
            "encoder.0.group",
            "encoder.1.group",
            "encoder.1.global",
            "decoder.0.group",
            "decoder.1.group",
            "decoder.1.global",
            "cross.0.group",
            "cross.1.group",
            "cross.1.global",
        }
        assert all(0 < bits < 6 for bits in line["attention_entropy"].values())
        assert set(line["context_share"]) == {
            "encoder.1.self_attention",
            "decoder.1.self_attention",
            "decoder.1.cross_attention",
        }
        assert all(0 < share < 1 for share in line["context_share"].values())
    assert lines[0]["attention_entropy"] != lines[1]["attention_entropy"]


def test_logging_attention_changes_nothing_else(run, corpus, tmp_path):
    plain = trained(
        corpus, tmp_path / "plain", **SYSTEM, training={"max_steps": 2, "validate_every": 1}
    )
    assert plain.weights.read_bytes() == run.weights.read_bytes()
    for line, other in zip(log_lines(plain), log_lines(run), strict=True):
        other.pop("attention_entropy", None)
        # The same sums, rounded in another order.
        assert line.pop("context_share", {}) == pytest.approx(other.pop("context_share", {}))
        assert line == other
