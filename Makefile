# Each target stands alone: it makes the virtual environment and installs what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-fast faults lint style types bench examples check-examples clean

demo: $(VENV)/demo.stamp  ## build the digits example and train it with two processes
	rm -rf runs/demo
	mkdir -p runs/demo
	$(BIN)/ddpgen build generated_examples/digits/model.py --strategy generated_examples/digits/ddp.yaml \
		-o runs/demo/train_ddp.py
	OMP_NUM_THREADS=1 $(BIN)/torchrun --nproc-per-node=2 runs/demo/train_ddp.py --out runs/demo
	@echo && echo "The last line of runs/demo/metrics.jsonl:" && tail -n 1 runs/demo/metrics.jsonl

# tests/conftest.py says which tests share a worker, and which of these begin
PYTEST := $(BIN)/python -m pytest -n 3 --dist loadgroup --no-loadscope-reorder

test: $(VENV)/dev.stamp
	$(PYTEST)

test-fast: $(VENV)/dev.stamp  ## without what starts processes
	$(PYTEST) -m "not processes"

faults: $(VENV)/dev.stamp  ## strike trainings at every file operation of a save, at any time, and in other ways
	OMP_NUM_THREADS=1 $(BIN)/python tests/inject_faults.py

lint: style types

style: $(VENV)/dev.stamp
	$(BIN)/ruff check codegen strategies templates tests
	$(BIN)/black --check codegen templates tests
	# the runtime is pasted into scripts, which have black's own width
	$(BIN)/black --check --line-length 88 strategies

types: $(VENV)/dev.stamp
	$(BIN)/mypy --strict codegen strategies

bench: $(VENV)/dev.stamp
	$(BIN)/python tests/benchmarks/bench.py
	$(BIN)/python tests/benchmarks/turns.py
	$(BIN)/python tests/benchmarks/bench_build.py
	$(BIN)/python tests/benchmarks/bench_saving.py
	$(BIN)/python tests/benchmarks/bench_leaving.py

examples: $(VENV)/dev.stamp  ## rebuild the scripts in generated_examples
	$(BIN)/python tests/check_examples.py --update

check-examples: $(VENV)/dev.stamp
	$(BIN)/python tests/check_examples.py

clean:
	rm -rf $(VENV) runs build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("ddpgen needs Python 3.10 or newer" if sys.version_info < (3, 10) else 0)'
	$(PYTHON) -m venv $(VENV)

# dev, demo: the extras of pyproject.toml; installed again only when that file changes
$(VENV)/%.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[$*]'
	# which pip does on one core; some packages have templates that are no Python
	$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
	touch $@
