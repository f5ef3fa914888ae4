#!/usr/bin/env bash
# express 5.3.0 and 4.22.3 with express-validator 7.3.2: in Express 5, `req.query` is parsed again at every access, so
# what a middleware changes in it is gone for the next one, without an error. In Express 4 it stays. Seen: of
# `?limit=5000`, a middleware that sets `req.query.limit = 100` has no effect in Express 5, and toInt() and trim() of
# express-validator leave the text as it was sent; its documentation says that sanitizers write to the request. Only
# `matchedData()` has the sanitized values.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund express-4@npm:express@4.22.3 express-5@npm:express@5.3.0 \
  express-validator@7.3.2 >>npm.log
cat >query.cjs <<'JS'
const { matchedData, query } = require('express-validator')

const app = require(process.argv[2])()
const bound = (request, _response, next) => {
  request.query.limit = Math.min(Number(request.query.limit), 100)
  next()
}
app.get('/bounded', bound, (request, response) => response.json(request.query.limit))
app.get('/sanitized', query('limit').toInt(), query('name').trim(), (request, response) =>
  response.json([request.query.limit, request.query.name, matchedData(request)]),
)
const server = app.listen(0, '127.0.0.1', async () => {
  const read = async (path) => (await fetch(`http://127.0.0.1:${server.address().port}${path}`)).text()
  console.log(await read('/bounded?limit=5000'), await read('/sanitized?limit=5000&name=%20Alex%20'))
  process.exit()
})
JS
sanitized='{"limit":5000,"name":"Alex"}'
[ "$(node query.cjs express-4)" = "100 [5000,\"Alex\",$sanitized]" ]
[ "$(node query.cjs express-5)" = "\"5000\" [\"5000\",\" Alex \",$sanitized]" ]
echo 'as described'
