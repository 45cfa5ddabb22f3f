#!/usr/bin/env bash
# Checks C programs before a commit. Two ways to use it, told in README.md:
#
#   heddle-hook.sh [OPTION OF heddle check]... -- FILE...   checks these files, as the framework pre-commit calls it
#   heddle-hook.sh [OPTION OF heddle check]...              checks the staged files as they are staged: a hook of git alone
#
# Each file that defines `main` is a program of its own; others are passed over, said aloud. A commit is refused where a
# property is violated or a program cannot be loaded; an unknown answer is told and does not stop it unless HEDDLE_HOOK_STRICT=1.
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

if [ -z "$has_files" ]; then
  # What is going to be committed, which need not be what lies in the working tree.
  mapfile -d '' -t files < <(git diff --cached --name-only --diff-filter=ACMR -z -- '*.c' '*.i')
  snapshot=$(mktemp -d)
  trap 'rm -rf "$snapshot"' EXIT
  git checkout-index --all --prefix="$snapshot/"
  cd "$snapshot"
fi

refused=0
for file in "${files[@]}"; do
  if ! grep -Eq '(^|[^[:alnum:]_])main[[:space:]]*\(' "$file"; then
    echo "heddle: $file defines no main, passed over"
    continue
  fi
  status=0
  heddle check ${options[@]+"${options[@]}"} "$file" || status=$?
  case $status in
    0) ;;
    2) if [ "${HEDDLE_HOOK_STRICT:-}" = 1 ]; then refused=1; fi ;;
    *) refused=1 ;;
  esac
done
exit "$refused"
