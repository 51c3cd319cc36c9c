# All targets do all set-up on a fresh machine: a virtual environment in .venv, once.
PYTHON ?= python3
BIN := .venv/bin
PACKAGES := files nmt core llm serve research

.PHONY: demo test docs results install clean

demo: install  ## translate two files with the bundled model, and score a test set
	$(BIN)/docmt demo

# Many tests start programs, which start faster where Python keeps the bytecode of what it imports.
test test-%: export PYTHONDONTWRITEBYTECODE =
test: install  ## run all tests, those of each distribution with only what it declares
	$(BIN)/python .ci/alone.py core nmt research serve files llm together

test-%: install  ## run the tests of one distribution: make test-files
	$(BIN)/python .ci/alone.py $*

results: install  ## list what makes the figures of the documentation again, and the cost
	$(BIN)/python benchmarks/list_results.py

docs: install  ## build the documentation site into site/
	$(BIN)/zensical build --clean --strict

install: .venv/.installed

# torch goes first and alone: whether its build is for a CPU or a GPU is settled by the index that
# pip is set up with, and all that depends on it then takes it as it is. Python compiles what is
# imported, when it is, and setuptools is installed once and not for each distribution.
.venv/.installed: pyproject.toml $(PACKAGES:%=packages/%/pyproject.toml) constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --no-compile -c constraints.txt torch==2.13.0 "setuptools>=77"
	$(BIN)/pip install --no-compile --no-build-isolation -c constraints.txt $(PACKAGES:%=-e packages/%) -e ".[dev]"
	touch $@

clean:  ## remove the virtual environment and all caches
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .cache build dist site
