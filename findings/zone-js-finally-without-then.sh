#!/usr/bin/env bash
# zone.js 0.16.3, which Angular loads on servers: `finally` of its Promise does not call `then`, as ECMAScript says, but
# reads the state of the promise itself. For a subclass whose result comes from its `then`, such as a lazy request, the
# callback of `finally` is never called. `catch` calls `then`. Without zone.js, both do.
# Seen: "catch: then finally: then" without, and "catch: then finally: nothing" with zone.js/node.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund zone.js@0.16.3 >>npm.log
cat >request.mjs <<'JS'
if (process.argv[2]) await import(process.argv[2])

let called = []
class Request extends Promise {
  then(...callbacks) {
    called.push('then')
    return Promise.resolve('response').then(...callbacks)
  }
}
const seen = []
for (const way of ['catch', 'finally']) {
  called = []
  new Request(() => {})[way](() => {})
  seen.push(`${way}: ${called.join(' ') || 'nothing'}`)
}
console.log(seen.join(' '))
JS
[ "$(node request.mjs)" = 'catch: then finally: then' ]
[ "$(node request.mjs zone.js/node)" = 'catch: then finally: nothing' ]
echo 'as described'
