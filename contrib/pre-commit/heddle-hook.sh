#!/usr/bin/env bash
# Checks C programs before a commit. README.md describes two ways to use it:
#
#   heddle-hook.sh [OPTION OF heddle check]... -- FILE...   checks these files, as the framework pre-commit calls it
#   heddle-hook.sh [OPTION OF heddle check]...              checks the staged files as they are staged: a hook of git alone
#
# Each file that defines `main` is a program of its own; others are passed over, said aloud. A commit is refused where a
# property is violated or a program cannot be loaded; an unknown answer is reported and does not stop it unless HEDDLE_HOOK_STRICT=1.
set -euo pipefail

options=()
files=()
has_files=
for word in "$@"; do
  if [ -n "$has_files" ]; then
    files+=("$word")
  elif [ "$word" = -- ]; then
    has_files=1
  else
    options+=("$word")
  fi
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ -z "$has_files" ]; then
  # What is going to be committed, which need not be what lies in the working tree.
  mapfile -d '' -t files < <(git diff --cached --name-only --diff-filter=ACMR -z -- '*.c' '*.i')
  git checkout-index --all --prefix="$scratch/staged/"
  mkdir -p "$scratch/staged"
  cd "$scratch/staged"
fi

# check FILE: what `heddle check` says about it; status 5 if it defines no main.
check() {
  local status=0
  grep -Eq '(^|[^[:alnum:]_])main[[:space:]]*\(' -- "$1" || return 5
  heddle check ${options[@]+"${options[@]}"} "$1" 2> "$scratch/messages" || status=$?
  # The word may stand in a comment only.
  if [ "$status" = 3 ] && grep -q 'no function .main. to start in' "$scratch/messages"; then return 5; fi
  cat "$scratch/messages" >&2
  return "$status"
}

refused=0
for file in ${files[@]+"${files[@]}"}; do
  status=0
  check "$file" || status=$?
  case $status in
    0) ;;
    2) if [ "${HEDDLE_HOOK_STRICT:-}" = 1 ]; then refused=1; fi ;;
    5) echo "heddle: $file defines no main, passed over" ;;
    *) refused=1 ;;
  esac
done
exit "$refused"
