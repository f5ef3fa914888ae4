#!/usr/bin/env bash
# cacheable 2.5.0: functions of one name that one cache wraps without `keyPrefix` share their results: of two modules
# with a function `read`, the decision of person 1 is the session of person 1, if that was read first. Calls of one
# function share a result if their arguments differ only in what JSON leaves out: Map, Set, Headers, URLSearchParams,
# Request. Of two calls for two persons, the second returns the data of the first. Texts and URLs are compared. Seen:
# "session 1" for a decision, and one call of the function for two different arguments of these classes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund cacheable@2.5.0 >>npm.log
cat >wrap.mjs <<'JS'
import { Cacheable } from 'cacheable'

const shared = new Cacheable()
const sessions = { read: async (id) => `session ${id}` }
const decisions = { read: async (id) => `decision ${id}` }
const readSession = shared.wrap(sessions.read, { ttl: '1h' })
const readDecision = shared.wrap(decisions.read, { ttl: '1h' })
console.log(await readSession('1'), await readDecision('1'), await readDecision('2'))

const pairs = {
  text: ['person=1', 'person=2'],
  URL: [new URL('https://example.com/1'), new URL('https://example.com/2')],
  URLSearchParams: [new URLSearchParams({ person: '1' }), new URLSearchParams({ person: '2' })],
  Map: [new Map([['person', 1]]), new Map([['person', 2]])],
  Set: [new Set([1]), new Set([2])],
  Headers: [new Headers({ person: '1' }), new Headers({ person: '2' })],
  Request: [new Request('https://example.com/1'), new Request('https://example.com/2')],
}
for (const [name, [one, other]] of Object.entries(pairs)) {
  let calls = 0
  const read = new Cacheable().wrap(async () => ++calls, { ttl: '1h', keyPrefix: 'read' })
  await read(one)
  await read(other)
  console.log(name, calls)
}
JS
[ "$(node wrap.mjs)" = 'session 1 session 1 decision 2
text 2
URL 2
URLSearchParams 1
Map 1
Set 1
Headers 1
Request 1' ]
echo 'as described'
