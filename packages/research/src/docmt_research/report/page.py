"""The page of a report: one self-contained HTML file, without a network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from importlib.metadata import version
from importlib.resources import files

from jinja2 import Environment
from markupsafe import Markup

from docmt.output.score_tables import REALIGNMENT_COLUMNS, realignment_cells
from docmt_research.analysis.analysis_tables import NOT_MEASURABLE, interval_text, signed
from docmt_research.analysis.contrastive_evaluation import suite_notes
from docmt_research.report.charts import bar_chart, line_chart
from docmt_research.report.collect import ReportData
from docmt_research.report.differences import compared
from docmt_research.report.sentence_buckets import Bucket, by_category, by_length, by_position

_FOLDER = files("docmt_research.report")


def render(data: ReportData) -> str:
    """The HTML of a report."""
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string((_FOLDER / "report.html.j2").read_text(encoding="utf-8"))
    metrics = list(dict.fromkeys(score.scores[0].name for score in data.evaluation.scores))
    scores = {(one.system, one.scores[0].name): one for one in data.evaluation.scores}
    comparisons = {(one.system_name, one.name): one for one in data.evaluation.comparisons}
    buckets = sentence_buckets(data)
    return template.render(
        data=data,
        metrics=metrics,
        realignment_columns=REALIGNMENT_COLUMNS,
        realignment_cells=realignment_cells,
        suite_notes=suite_notes,
        signed=signed,
        interval_text=interval_text,
        not_measurable=NOT_MEASURABLE,
        scores=scores,
        comparisons=comparisons,
        buckets=[(title, unit, _bars(rows, unit), rows) for title, unit, rows in buckets],
        documents=compared(data.translations, data.references) if data.translations else [],
        version=version("docmt-research"),
        curves=_curves(data),
        context=_context(data),
        attention=_attention(data),
        images=_images(data),
        style=_asset("report.css"),
        script=_asset("report.js"),
    )


def sentence_buckets(data: ReportData) -> list[tuple[str, str, list[Bucket]]]:
    """Scores of parts of the sentences: the title of each division, its unit, and the buckets."""
    if not data.translations:
        return []
    texts = data.translations, data.references, data.languages[1]
    buckets = [
        ("By length of the source sentence", "words", by_length(*texts)),
        ("By position in the document", "sentence", by_position(*texts)),
    ]
    if data.categories is not None:
        rows = by_category(*texts, data.categories)
        buckets.append(("By what the source sentence may need", "category", rows))
    return buckets


def _asset(name: str) -> Markup:
    """A file of this package, as it is."""
    return Markup((_FOLDER / name).read_text(encoding="utf-8"))


def _bars(buckets: list[Bucket], unit: str) -> Markup:
    """A chart of buckets."""
    names = list(buckets[0].scores)
    return bar_chart(
        [bucket.label for bucket in buckets],
        {name: [bucket.scores[name] for bucket in buckets] for name in names},
        x=unit,
        y="s-BLEU",
    )


def _curves(data: ReportData) -> Mapping[str, Markup]:
    """Charts of the runs' logs, by quantity."""
    kinds = dict.fromkeys(kind for run in data.runs for kind in run.curves)
    charts = {
        kind: line_chart(
            {run.name: run.curves.get(kind, ()) for run in data.runs}, x="updates", y=_unit(kind)
        )
        for kind in kinds
    }
    for kind in [kind for kind in ("validation loss", "BLEU") if kind in kinds]:
        by_time = {
            run.name: [(run.minutes[int(at)], value) for at, value in run.curves.get(kind, ())]
            for run in data.runs
        }
        charts[f"{kind} by time"] = line_chart(
            by_time, x="minutes of all stages, without validations and interruptions", y=_unit(kind)
        )
    return charts


def _unit(kind: str) -> str:
    """Return the unit of the values of a curve."""
    if kind.endswith("loss"):
        return "nats per token"
    return "bits" if kind.startswith("attention") else kind


def _attention(data: ReportData) -> Mapping[str, Mapping[str, float]]:
    """Entropies in bits and shares of context, by name, for each run with attention or gates."""
    entropies: dict[str, dict[str, float]] = {}
    for run, part in data.attention.items():
        for entropy in part.statistics.entropies:
            entropies.setdefault(f"{entropy.key}, bits", {})[run] = entropy.bits
        for gate in part.statistics.gates:
            entropies.setdefault(f"{gate.key}, context share", {})[run] = gate.context_share
    return entropies


def _images(data: ReportData) -> Mapping[str, Mapping[str, str]]:
    """The heat maps of each run, by kind and scope, as data addresses."""
    return {
        run: {
            name: f"data:image/png;base64,{b64encode(content).decode()}"
            for name, content in part.maps.items()
        }
        for run, part in data.attention.items()
    }


def _context(data: ReportData) -> Markup | None:
    """A chart of the value of context."""
    lines = {
        ", ".join(filter(None, [name, control])): [
            (value.context, value.cxmi)
            for value in values
            if value.control == control and value.cxmi is not None
        ]
        for name, values in data.context.items()
        for control in ("", "shuffled")
        if values
    }
    lines = {name: points for name, points in lines.items() if points}
    if not lines:
        return None
    return line_chart(lines, x="previous sentences", y="bits per sentence", legend=True)
