#!/usr/bin/env bash
# vitest 5.1.2, jest 30.5.2 and node:assert of Node 22.23.3: two photos of one size with different bytes are equal for
# all of them, as File, as Blob and in a FormData, so a test that a photo is uploaded unchanged cannot fail. node:assert
# also finds Headers and URLSearchParams with other values deeply equal. For jest, also toStrictEqual, two errors are
# equal if only their messages are: a `status` of 402 and of 500, or another `cause`, are not compared. vitest compares
# them. Seen: the lists of what is "equal" below.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
platform=$(node -p '`${process.platform}-${process.arch}`')
npm install --silent --no-audit --no-fund vitest@5.1.2 jest@30.5.2 node@npm:"node-$platform@22.23.3" >>npm.log
node="$folder/node_modules/node/bin/node"
cat >pairs.cjs <<'JS'
const photo = (byte) => new File([new Uint8Array([0xff, 0xd8, byte])], 'photo.jpg', { lastModified: 0 })
const form = (byte) => {
  const data = new FormData()
  data.set('photo', photo(byte))
  return data
}
const pairs = {
  File: [photo(1), photo(2)],
  Blob: [new Blob(['one']), new Blob(['two'])],
  FormData: [form(1), form(2)],
  Headers: [new Headers({ 'idempotency-key': '1' }), new Headers({ 'idempotency-key': '2' })],
  URLSearchParams: [new URLSearchParams('id=1'), new URLSearchParams('id=2')],
  status: [402, 500].map((status) => Object.assign(new Error('failed'), { status })),
  cause: ['reset', 'refused'].map((message) => new Error('failed', { cause: new Error(message) })),
}
exports.equal = (compare) =>
  Object.keys(pairs).filter((name) => {
    try {
      compare(...pairs[name])
      return true
    } catch {
      return false
    }
  })
JS
cat >compare.test.cjs <<'JS'
const { writeFileSync } = require('node:fs')
const { equal } = require('./pairs.cjs')
it('compares', () => writeFileSync('equal', equal((one, other) => expect(one).toStrictEqual(other)).join(' ')))
JS
echo "export default { test: { globals: true, include: ['*.test.cjs'] } }" >vitest.config.mjs
echo "module.exports = { testEnvironment: 'node', testMatch: ['**/*.test.cjs'] }" >jest.config.cjs

"$node" node_modules/vitest/vitest.mjs run >vitest.log 2>&1
[ "$(cat equal)" = 'File Blob FormData' ]
"$node" node_modules/jest/bin/jest.js >jest.log 2>&1
[ "$(cat equal)" = 'File Blob FormData status cause' ]
[ "$("$node" -p "require('./pairs.cjs').equal(require('node:assert').deepStrictEqual).join(' ')")" = \
  'File Blob FormData Headers URLSearchParams' ]
echo 'as described'
