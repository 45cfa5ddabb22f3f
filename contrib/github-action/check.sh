#!/usr/bin/env bash
# Runs `heddle check` with the arguments in $HEDDLE_ARGS and tells later steps the verdict and where the SARIF file is. The
# status is that of `heddle check`: 0 safe, 1 unsafe, 2 unknown (0 if $HEDDLE_ALLOW_UNKNOWN is true), 3 and 4 errors.
set -euo pipefail

sarif=${HEDDLE_SARIF:-heddle.sarif}
# xargs understands quotes and expands nothing.
mapfile -t args < <(printf '%s\n' "${HEDDLE_ARGS:?what to check}" | xargs -n 1 printf '%s\n')

status=0
# Options of this script come first: what follows `--` in the arguments is for clang.
heddle check --sarif "$sarif" "${args[@]}" || status=$?

case $status in
  0) verdict=safe ;;
  1) verdict=unsafe ;;
  2) verdict=unknown ;;
  *) verdict=error ;;
esac
{
  echo "verdict=$verdict"
  echo "sarif=$sarif"
} >> "${GITHUB_OUTPUT:?}"

if [ "$verdict" = unknown ] && [ "${HEDDLE_ALLOW_UNKNOWN:-false}" = true ]; then
  exit 0
fi
exit "$status"
