"""`python -m docmt`, the same as `docmt`."""

from docmt.cli import main

main(prog_name="docmt")
