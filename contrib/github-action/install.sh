#!/usr/bin/env bash
# Installs Heddle on a runner from the package $HEDDLE_PACKAGE, a .deb or .tar.gz, which is a path or an address to fetch. With
# $HEDDLE_SHA256 a package with another checksum is refused. Needs Debian or Ubuntu with packages of clang 19.
set -euo pipefail

folder=${RUNNER_TEMP:?}/heddle
mkdir -p "$folder"

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_packages() {
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

package=${HEDDLE_PACKAGE:?which package to install}
case $package in
  https://*)
    fetched=${package%%[?#]*}
    fetched=$folder/${fetched##*/}
    curl --fail --silent --show-error --location --output "$fetched" "$package"
    package=$fetched
    ;;
  /*) ;;
  *) package=$PWD/$package ;;
esac

if [ -n "${HEDDLE_SHA256:-}" ]; then
  echo "$HEDDLE_SHA256  $package" | sha256sum --check --strict
fi

case $package in
  *.deb)
    # Brings clang and LLVM's library along.
    install_packages "$package"
    heddle=$(command -v heddle)
    ;;
  *.tar.gz)
    tar --extract --file "$package" --directory "$folder" --strip-components=1
    heddle=$folder/bin/heddle
    missing=()
    command -v clang-19 > /dev/null || missing+=(clang-19 libc6-dev)
    if [[ $(ldd "$heddle") = *libLLVM*"not found"* ]]; then missing+=(libllvm19); fi
    if [ ${#missing[@]} -gt 0 ]; then install_packages "${missing[@]}"; fi
    echo "$folder/bin" >> "${GITHUB_PATH:?}"
    ;;
  *)
    echo "neither a .deb nor a .tar.gz: $package" >&2
    exit 3
    ;;
esac
"$heddle" --version
