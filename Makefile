# `make demo` and `make test` are the two commands of the README; both install what is missing first.
# CARGO and TARGET_DIR can be set from outside: make TARGET_DIR=/elsewhere test

CARGO ?= cargo
TARGET_DIR ?= target
HEDDLE = $(TARGET_DIR)/release/heddle
export CARGO_TARGET_DIR = $(abspath $(TARGET_DIR))

# Where rustup puts cargo, for shells that have not read its environment file.
export PATH := $(PATH):$(HOME)/.cargo/bin

.PHONY: all setup setup-tests build demo test format lint tidy clean

all: build

setup:
	@scripts/setup.sh

setup-tests: setup
	@scripts/setup.sh tests

build: setup
	$(CARGO) build --release --locked --package heddle

# The example is unsafe, so heddle says so with exit status 1: anything else is a failure of the demo.
demo: build
	@echo "$$ heddle check examples/bank.c"
	@$(HEDDLE) check examples/bank.c; status=$$?; \
	  if [ $$status -ne 1 ]; then echo "demo: exit status $$status where 1 (unsafe) was expected" >&2; exit 1; fi

test: setup-tests build format lint tidy
	$(CARGO) xtask test --workspace --locked

format:
	$(CARGO) fmt --all --check

# Debian packages no clippy for some of its toolchains. Without one the lints are left out, said aloud; HEDDLE_STRICT
# (set by .ci/run) makes that an error.
lint: setup
	@if $(CARGO) clippy --version >/dev/null 2>&1; then \
	  echo "$(CARGO) clippy --workspace --all-targets --locked -- -D warnings"; \
	  $(CARGO) clippy --workspace --all-targets --locked -- -D warnings; \
	elif [ -n "$$HEDDLE_STRICT" ]; then echo "lint: clippy is not installed" >&2; exit 1; \
	else echo "lint: SKIPPED, clippy is not installed" >&2; fi

tidy: setup
	$(CARGO) xtask tidy

clean:
	$(CARGO) clean
