#!/bin/sh
# Installs what the build and the tests need and is missing: Debian packages (as root, or by sudo) and npm packages.
set -eu
cd "$(dirname "$0")/.."

missing=
need() { # need PROGRAM PACKAGE
  command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}
need cmake cmake
need make make
need gcc gcc
need clang clang
need clang-format clang-format
need emcc emscripten
need wasm-opt binaryen
need wasm-validate wabt
need spin spin
need chromium chromium
need firefox-esr firefox-esr
need WebKitWebDriver webkit2gtk-driver
need Xvfb xvfb
need etcd etcd-server
need etcdctl etcd-client
need curl curl
ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-* >/dev/null 2>&1 || missing="$missing libclang-rt-14-dev"

if [ "$(uname -m)" = x86_64 ]; then
  # The core is also built with 32 bits; the fuzzer's own library is C++.
  [ -e /usr/lib/gcc/x86_64-linux-gnu/12/32/libstdc++.a ] || missing="$missing lib32stdc++-12-dev"
  [ -e /usr/lib32/crt1.o ] || missing="$missing libc6-dev-i386"
fi

if [ -n "$missing" ]; then
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "Not installed, and no apt-get to install it with:$missing" >&2
    [ -z "${CI:-}" ] || exit 1
  else
    sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    echo "Installing:$missing"
    export DEBIAN_FRONTEND=noninteractive
    $sudo apt-get update -q
    # shellcheck disable=SC2086
    $sudo apt-get install -q -y --no-install-recommends $missing
  fi
fi

# The lock file lists what is needed; a copy of it lists what is installed.
if ! cmp -s package-lock.json node_modules/.installed-lock; then
  npm ci --ignore-scripts --no-audit --no-fund
  cp package-lock.json node_modules/.installed-lock
fi
