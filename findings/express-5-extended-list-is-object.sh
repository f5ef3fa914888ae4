#!/usr/bin/env bash
# express 5.3.0 and 4.22.3 (both with qs 6.16.2), with the parser that is the usual one in Express 4 and that the guide
# to Express 5 recommends to keep its behavior, `query parser` `extended`: a list of more than 20 values in a query is
# an array in Express 4 and an object in Express 5. What only reads it is wrong in silence: `length` is undefined, so
# that "no ids" means all of them, and JSON has {"0":...}. Seen: for `ids[]=0&ids[]=1...` and `ids=0&ids=1...` with 20
# values an array in both, with 21 values an array in 4.22.3 and an object in 5.3.0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --silent --no-audit --no-fund express-4@npm:express@4.22.3 express-5@npm:express@5.3.0 >>npm.log
cat >lists.cjs <<'JS'
const app = require(process.argv[2])().set('query parser', 'extended')
app.get('/', ({ query: { ids } }, response) => response.json([Array.isArray(ids), ids.length ?? 'none']))
const server = app.listen(0, '127.0.0.1', async () => {
  const lists = [20, 21].flatMap((count) =>
    ['ids[]', 'ids'].map((name) => Array.from({ length: count }, (_, index) => `${name}=${index}`).join('&')),
  )
  const url = `http://127.0.0.1:${server.address().port}`
  const results = []
  for (const list of lists) results.push(await (await fetch(`${url}/?${list}`)).text())
  console.log(results.join(' '))
  process.exit()
})
JS
[ "$(node lists.cjs express-4)" = '[true,20] [true,20] [true,21] [true,21]' ]
[ "$(node lists.cjs express-5)" = '[true,20] [true,20] [false,"none"] [false,"none"]' ]
echo 'as described'
