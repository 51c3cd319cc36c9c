"""Forms of the output of translation: the input file with its text translated, or both sides as a
table, JSON, a translation memory or a review."""

from docmt.output.output import Output
from docmt.output.output_names import OutputFormat, input_format_of, output_format_of

__all__ = ["Output", "OutputFormat", "input_format_of", "output_format_of"]
