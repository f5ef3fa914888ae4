#!/usr/bin/env bash
# undici 8.13.1, `interceptors.retry()` and `RetryAgent`: if a response breaks off, the rest is requested with `Range`,
# without `If-Range`. If the file has changed in between, and kept its size, the parts of two versions are joined to one
# response with status 200, without an error. A changed `last-modified` or weak `etag` does not matter; a strong one is
# noticed. Seen: the first half of one file and the second half of another, or an error, as below.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
platform=$(node -p '`${process.platform}-${process.arch}`')
npm install --silent --no-audit --no-fund undici@8.13.1 node@npm:"node-$platform@22.23.3" >>npm.log
cat >download.mjs <<'JS'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Agent, interceptors, RetryAgent, request } from 'undici'

const old = { 'last-modified': 'Mon, 02 Nov 2026 10:00:00 GMT' }
const changed = { 'last-modified': 'Tue, 03 Nov 2026 10:00:00 GMT' }
const versions = {
  'last-modified': [old, changed],
  'weak etag': [{ etag: 'W/"1"' }, { etag: 'W/"2"' }],
  'strong etag': [{ etag: '"1"' }, { etag: '"2"' }],
}
const retry = { minTimeout: 10 }
const dispatchers = {
  interceptor: () => new Agent().compose(interceptors.retry(retry)),
  RetryAgent: () => new RetryAgent(new Agent(), retry),
}
for (const [name, [first, second]] of Object.entries(versions)) {
  for (const [way, create] of Object.entries(dispatchers)) {
    let requests = 0
    const server = createServer(({ headers }, response) => {
      requests += 1
      if (requests === 1) {
        response.writeHead(200, { 'content-length': 12, 'accept-ranges': 'bytes', ...first }).write('100 EU')
        return setTimeout(() => response.destroy(), 100)
      }
      // A server that has the second version, and honors `If-Range` as RFC 9110 says.
      if (headers['if-range']) return response.writeHead(200, second).end('900 USD each')
      response.writeHead(206, { 'content-range': 'bytes 6-11/12', ...second }).end('900 USD each'.slice(6))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${server.address().port}`
    const read = async () => {
      const { statusCode, body } = await request(url, { dispatcher: create() })
      return `${statusCode} ${await body.text()}`
    }
    console.log(`${name}, ${way}:`, await read().catch(({ code }) => code))
    server.close()
  }
}
process.exit()
JS
[ "$(node_modules/node/bin/node download.mjs)" = 'last-modified, interceptor: 200 100 EUD each
last-modified, RetryAgent: 200 100 EUD each
weak etag, interceptor: 200 100 EUD each
weak etag, RetryAgent: 200 100 EUD each
strong etag, interceptor: UND_ERR_REQ_RETRY
strong etag, RetryAgent: UND_ERR_REQ_RETRY' ]
echo 'as described'
