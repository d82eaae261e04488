# Everything one runs here. `make` alone lists it.
# A fresh clone needs Python 3.11 or newer, pip, make, and a Python package registry; nothing else.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
HTML   := _build/html
PAGES  := $(HTML)/.ready
BOOKS  := _build/notebooks/.ready
CORES  := $(shell getconf _NPROCESSORS_ONLN)

# What the pages are made of: while it stays the same, they do.
SOURCES := $(shell find book tokensel_nb tokensel_report data _config.yml _toc.yml CITATION.cff -type f -not -name '*.pyc' -not -path '*/.*/*') \
	$(wildcard _build/tokensel-nb.pdf)

# Progress bars write to stderr; a notebook's results must not depend on them.
export TQDM_DISABLE := 1

# Some forty processes start in `make test`. Where none may keep what it has compiled, each spends a dozen seconds on that anew.
unexport PYTHONDONTWRITEBYTECODE

# uv does not read pip's settings, so a folder of wheels that pip was told of is passed on.
export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)

# Small linear algebra loses more by waiting for a second thread than it gains, and tests use every core anyway.
# Benchmarks time all cores.
export OMP_NUM_THREADS := 1
bench: export OMP_NUM_THREADS := $(CORES)

# Strict: without -W a failing cell or a dead reference would still end in success. The old pages go first, so
# that a removed chapter leaves nothing behind. Warnings and errors come on stderr; the rest is noise.
BUILD = rm -rf $(HTML) && $(BIN)/jupyter-book build . -W -n --keep-going --all -q >/dev/null \
	&& echo "The book is in $(HTML)/; open file://$(CURDIR)/$(HTML)/index.html"

.PHONY: help env book html pdf check test long portable contract record playthings teaching bench gpu notebooks results lock audit release serve clean

help: ## List the targets (default)
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

env: $(READY) ## Make .venv with the locked packages; UV_TORCH_BACKEND=cpu before it saves gigabytes on Linux without a GPU

# uv, because it installs in seconds what takes pip minutes. Every package has to be the one that was locked, to the last bit: uv
# itself, whose lines are all that pip is shown, the rest, and what builds the package. Only torch, whose build depends on the
# machine, is held by its version alone.
$(READY): pyproject.toml requirements.lock | $(BIN)/uv
	@echo "Installing the locked packages in $(VENV) ..."
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --require-hashes -r requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --group torch
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	@$(BIN)/python -c 'import tokensel_report.page, tokensel_report.read' # compiled now, so that no report begins with it
	@touch $@

$(BIN)/uv:
	@$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "error: '$(PYTHON)' is no Python 3.11 or newer with venv (Debian: apt install python3-venv); name one: make PYTHON=python3.12 env"; exit 1; } >&2
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@sed -n '/^uv==/,/[^\\]$$/p' requirements.lock \
		| $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r /dev/stdin

book: env ## Run every notebook anew and build the pages (the committed results stay as they are)
	@$(BIN)/python book/_tools/run_notebooks.py --to _build/run
	@export TOKENSEL_NOTEBOOKS=_build/run; $(BUILD)

html: $(PAGES) ## Build the pages from the committed results; costs nothing when they are up to date

$(PAGES): $(READY) $(SOURCES)
	@$(BUILD)
	@touch $@

notebooks: $(BOOKS) ## Write every chapter as a plain notebook, for readers, students and instructors, in _build/notebooks

$(BOOKS): $(READY) $(SOURCES)
	@rm -rf $(@D) && $(BIN)/jupyter-book build . -W -n --keep-going -q --builder custom --custom-builder notebooks >/dev/null
	@touch $@

pdf: env ## Print the book as one PDF, which the pages then link to; needs Chromium
	@$(BIN)/python book/_tools/print_book.py

# One worker a notebook or module (loadscope), or its cells would meet different kernels, and what a module's tests share would be
# made twice; the longest notebooks first (tests/conftest.py), so that no core waits at the end.
PYTEST = $(BIN)/python -m pytest -n $(CORES) --dist loadscope --no-loadscope-reorder --durations 30

LINT = $(BIN)/ruff check . && $(BIN)/lint-imports --no-cache --no-logo

# How what a notebook prints is compared with what it has stored.
NBVAL = --nbval --nbval-current-env --nbval-cell-timeout 300

check: env ## For every change: lint, then all tests and examples that need neither notebook nor browser
	$(LINT)
	$(PYTEST) -p no:nbval -m "not long" --doctest-modules --ignore tests/site tests tokensel_nb tokensel_report experiments course

test: html notebooks ## What a change has to pass, in ten minutes: `check`, every stored result against a new run, some pages in a browser
	$(LINT)
	$(PYTEST) -m "not long" --doctest-modules $(NBVAL) tests tokensel_nb tokensel_report experiments course book/*.ipynb

# The parts stand in tests/long.py; data/long_times.json says how long each took.
long: html notebooks ## The tests that `make test` leaves out, in half an hour: all pages, the whole PDF, more cases; PART=pages runs a part
	$(BIN)/python tests/long.py $(PART)

# Processors add in other orders and round otherwise. numpy, OpenBLAS, torch and MKL choose what they run by the processor, and can
# be told to choose as on these. OF=book/03_flow.ipynb tries this notebook alone.
HASWELL = OPENBLAS_CORETYPE=HASWELL ATEN_CPU_CAPABILITY=avx2 MKL_CBWR=AVX2 NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL AVX512_SPR"
NEHALEM = OPENBLAS_CORETYPE=NEHALEM ATEN_CPU_CAPABILITY=default MKL_CBWR=COMPATIBLE NPY_DISABLE_CPU_FEATURES="X86_V3 X86_V4"
OF = --doctest-modules --ignore tests/site --ignore tests/book tests tokensel_nb tokensel_report experiments course book/*.ipynb
portable: env ## Notebooks and unit tests as two older processors would compute, on this one: with AVX2, and with SSE alone
	$(HASWELL) $(PYTEST) -m "not long" $(NBVAL) $(OF)
	$(NEHALEM) $(PYTEST) -m "not long" $(NBVAL) $(OF)

contract: env ## Run every notebook as on Colab: a clean environment, the newest packages, an empty folder
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python _build/contract
	@$(BIN)/uv pip install --quiet --python _build/contract/bin/python \
		--upgrade -r pyproject.toml --extra book nbclient ipykernel pip
	@_build/contract/bin/python book/_tools/contract.py

record: env ## Run all that the book shows recorded, part by part; goes on where it stopped; PART=yelp4 runs a part
	$(BIN)/python -m experiments $(PART)

playthings: env ## Train once more, and write what the pages' playthings know of every word
	$(BIN)/python -m experiments.playthings

teaching: notebooks ## Pack the notebooks of students and instructors in _build/teaching; SEED=7 draws other exercises
	$(BIN)/python -m course --seed $(or $(SEED),0)

bench: html ## Time the package against the alternatives
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --group bench
	$(BIN)/python -m benchmarks

# No environment of our own: the machine's PyTorch for CUDA is what is tried, and nothing is downloaded.
gpu: ## On a machine with a GPU, in ten minutes at most: CUDA tests, four notebooks, benchmarks; see data/gpu.json
	@$(PYTHON) -m benchmarks.gpu

# Code is wrapped to the width of a page first.
results: env ## Run the notebooks; store their results in place, and how long each took, ready to commit
	$(BIN)/ruff format --quiet --line-length 88 book/*.ipynb
	$(BIN)/python book/_tools/run_notebooks.py

# torch is held at the version the stored results were made with. No CUDA packages are locked (torch asks for the
# ones it wants), and no local wheels are looked at (a "+cpu" version exists on no other machine).
lock: env ## Refresh requirements.lock
	@mkdir -p _build
	@UV_FIND_LINKS= $(BIN)/uv pip compile --quiet --universal --python-version 3.11 pyproject.toml --group dev --group torch --all-extras \
		--generate-hashes --no-annotate --no-header -o _build/compiled.lock --upgrade >/dev/null
	@awk '/^[a-z]/ { kept = !/^(torch==|nvidia-|cuda-|triton)/ } kept' _build/compiled.lock > requirements.lock

audit: env ## Look the installed packages up among known security holes; needs the public database
	@$(BIN)/uv pip freeze --python $(BIN)/python --exclude-editable \
		| $(BIN)/uv tool run pip-audit --no-deps --disable-pip --requirement /dev/stdin

# Publishes nothing; MAINTAINING.md says what is left to a person. The bare environment takes torch from where `make env` takes it.
release: html ## Rehearse a release: wheel, source archive and pages in _build/release; the wheel is tried where nothing else is
	@rm -rf _build/release _build/bare
	$(BIN)/uv build --quiet --out-dir _build/release
	$(BIN)/uv tool run twine check --strict _build/release/*
	$(BIN)/uv tool run check-wheel-contents --ignore W009 _build/release/*.whl
	@$(BIN)/uv venv --quiet --python $(BIN)/python _build/bare
	@$(BIN)/uv pip install --quiet --python _build/bare/bin/python "$$(ls _build/release/*.whl)[report]"
	cd _build/bare && bin/python -I -c "import tokensel_nb as ts; assert ts.versions() and ts.max_margin" && bin/tokensel --help
	tar -czf _build/release/tokensel-nb-pages.tar.gz -C _build html

serve: ## Show the built pages on localhost, port 8000
	$(PYTHON) -m http.server --directory $(HTML) --bind 127.0.0.1 8000

clean: ## Remove what was built; the environment stays
	@rm -rf _build .pytest_cache .ruff_cache
	@find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
