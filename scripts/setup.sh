#!/usr/bin/env bash
# Makes sure that what Heddle is built with and runs on is there: clang 19, LLVM 19's library, a C++ compiler, the
# 32-bit C headers, cargo. On Debian and Ubuntu it installs what is missing; elsewhere it says what to install.
# When everything is there it only looks, which takes a moment. `setup.sh tests` adds what only tests need: lli,
# csmith, gcc's 32-bit libraries, the libraries of clang's sanitizers, g++'s 32-bit headers, and a headless Chromium (100 MB to fetch, about a minute). If the browser cannot be had, the test that needs it is left out, said aloud; HEDDLE_STRICT
# (set by .ci/run) makes that an error.
set -euo pipefail
cd "$(dirname "$0")/.."

# The oldest Rust that builds the workspace: `rust-version` in Cargo.toml.
rust_needed=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
llvm_prefix=${LLVM_SYS_191_PREFIX:-/usr/lib/llvm-19}

say() { printf 'setup: %s\n' "$*" >&2; }
has() { command -v "$1" >/dev/null 2>&1; }
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

has_browser() {
  local name
  for name in chromium-headless-shell chromium chromium-browser google-chrome; do
    if has "$name"; then return 0; fi
  done
  return 1
}

has_headers_32() { echo '#include <stdio.h>' | clang-19 -m32 -fsyntax-only -x c - 2>/dev/null; }
has_headers_cxx() { echo '#include <atomic>' | clang-19 -fsyntax-only -x c++ - 2>/dev/null; }
has_gcc_32() { echo 'int main(void) { return 0; }' | gcc -m32 -x c - -o /dev/null 2>/dev/null; }
has_sanitizers() { [ -e "$(clang-19 -print-resource-dir)/lib/linux/libclang_rt.tsan-$(uname -m).a" ]; }
has_headers_cxx_32() { echo '#include <atomic>' | clang-19 -m32 -fsyntax-only -x c++ - 2>/dev/null; }
has_cargo() {
  has cargo && has rustc || return 1
  at_least "$(rustc --version | awk '{print $2}')" "$rust_needed"
}

packages=()
has make || packages+=(make)
has g++ || packages+=(g++)
has clang-19 || packages+=(clang-19)
[ -x "$llvm_prefix/bin/llvm-config" ] || packages+=(llvm-19-dev)
if has clang-19; then
  has_headers_cxx || packages+=(g++)
  [ "$(uname -m)" != x86_64 ] || has_headers_32 || packages+=(gcc-multilib)
elif [ "$(uname -m)" = x86_64 ]; then
  packages+=(gcc-multilib)
fi
# Tests compare with native execution: lli of LLVM, and random programs for 64 and 32 bits.
if [ "${1:-}" = tests ]; then
  has lli-19 || packages+=(llvm-19)
  has csmith && [ -e /usr/include/csmith/csmith.h ] || packages+=(csmith libcsmith-dev)
  [ "$(uname -m)" != x86_64 ] || has_gcc_32 || packages+=(gcc-multilib)
  has clang-19 && has_sanitizers || packages+=(libclang-rt-19-dev)
  [ "$(uname -m)" != x86_64 ] || { has clang-19 && has_headers_cxx_32; } || packages+=(g++-multilib)
fi
# llvm-sys links against these where LLVM was built with them.
[ -e "$llvm_prefix/lib/libLLVM.so" ] || [ -e "$llvm_prefix/lib/libLLVM-19.so" ] || packages+=(llvm-19-dev)

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

can_install() { has apt-get && { [ "$(id -u)" = 0 ] || has sudo; }; }

candidate() { apt-cache policy "$1" 2>/dev/null | awk '/Candidate:/ {sub(/^[0-9]+:/, "", $2); print $2}'; }

# Which of Debian's Rust packages is new enough, if any: -web is the one kept current for browsers.
rust_packages() {
  local cargo_web cargo
  cargo_web=$(candidate rustc-web)
  cargo=$(candidate rustc)
  if [ -n "$cargo_web" ] && [ "$cargo_web" != "(none)" ] && at_least "${cargo_web%%+*}" "$rust_needed"; then
    echo cargo-web rustc-web rustfmt-web
  elif [ -n "$cargo" ] && [ "$cargo" != "(none)" ] && at_least "${cargo%%+*}" "$rust_needed"; then
    echo cargo rustc rustfmt rust-clippy
  fi
}

wants_browser=
if [ "${1:-}" = tests ] && ! has_browser; then wants_browser=1; fi

if has_cargo && [ ${#packages[@]} -eq 0 ] && [ -z "$wants_browser" ]; then
  exit 0
fi

# Leaves the browser out, unless that is an error.
no_browser() {
  say "no Chromium is installed, and none can be: the test of HTML reports in a browser is left out."
  if [ -n "${HEDDLE_STRICT:-}" ]; then exit 1; fi
}

if ! can_install && has_cargo && [ ${#packages[@]} -eq 0 ]; then
  no_browser
  exit 0
fi

if ! can_install; then
  say "this is not a Debian or Ubuntu system (or there is no root and no sudo), so nothing is installed for you."
  [ ${#packages[@]} -eq 0 ] || say "missing, by their Debian names: ${packages[*]}"
  say "Heddle needs clang 19 as \`clang-19\`, LLVM 19 with headers and llvm-config (LLVM_SYS_191_PREFIX names its"
  say "directory, $llvm_prefix is assumed), a C++ compiler and standard library, and for --data-model ilp32 32-bit C headers."
  has_cargo || say "It also needs Rust $rust_needed or newer: https://rustup.rs installs it."
  exit 1
fi

export DEBIAN_FRONTEND=noninteractive
say "updating the package lists"
if ! as_root apt-get update -q >/dev/null; then
  # Without the network nothing can be installed; the browser can be done without.
  if has_cargo && [ ${#packages[@]} -eq 0 ]; then no_browser; exit 0; fi
  exit 1
fi

if ! has_cargo; then
  read -r -a rust <<<"$(rust_packages)"
  if [ ${#rust[@]} -eq 0 ]; then
    say "no package of this distribution has Rust $rust_needed or newer: https://rustup.rs installs it."
    exit 1
  fi
  packages+=("${rust[@]}")
fi

if [ ${#packages[@]} -gt 0 ]; then
  mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
  for package in clang-19 llvm-19-dev; do
    if [[ " ${packages[*]} " == *" $package "* ]] && [ "$(candidate "$package")" = "(none)" -o -z "$(candidate "$package")" ]; then
      say "this release of the distribution has no package $package: https://apt.llvm.org has it."
      exit 1
    fi
  done
  say "installing ${packages[*]}"
  as_root apt-get install -q -y --no-install-recommends "${packages[@]}" >/dev/null
fi

# The package with the browser alone is the smaller one; not every release has it.
if [ -n "$wants_browser" ]; then
  browser=chromium-headless-shell
  case "$(candidate $browser)" in "" | "(none)") browser=chromium ;; esac
  say "installing $browser"
  as_root apt-get install -q -y --no-install-recommends "$browser" >/dev/null && has_browser || no_browser
fi
