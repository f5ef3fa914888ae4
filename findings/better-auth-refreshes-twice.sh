#!/usr/bin/env bash
# better-auth 1.7.25: each `getAccessToken` of an account whose access token has expired sends the refresh token, also
# if another one is on its way. A provider that rotates refresh tokens takes the second for a stolen one, and ends the
# grant, as RFC 9700 says in 4.14.2: the person has to link the account again. Parallel calls are usual: two requests
# of one page, two jobs. Seen: one token was sent twice, the second call fails, and so do all later ones.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
platform=$(node -p '`${process.platform}-${process.arch}`')
npm install --silent --no-audit --no-fund better-auth@1.7.25 node@npm:"node-$platform@22.23.3" >>npm.log
cat >tokens.mjs <<'JS'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { genericOAuth } from 'better-auth/plugins'

const sent = []
let current = 'refresh-1'
const provider = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  await sleep(50)
  const token = new URLSearchParams(body).get('refresh_token')
  sent.push(token)
  response.setHeader('content-type', 'application/json')
  if (token !== current) {
    current = undefined
    return response.writeHead(400).end('{"error":"invalid_grant"}')
  }
  current = `refresh-${sent.length + 1}`
  const tokens = { access_token: `access-${sent.length + 1}`, refresh_token: current }
  response.end(JSON.stringify({ ...tokens, token_type: 'Bearer', expires_in: 3600 }))
}).listen(0, '127.0.0.1')
await once(provider, 'listening')
const url = `http://127.0.0.1:${provider.address().port}`

const [createdAt, updatedAt, expired] = [new Date(), new Date(), new Date(Date.now() - 1000)]
const person = { id: 'anna', email: 'anna@example.com', emailVerified: true, name: 'Anna', createdAt, updatedAt }
const account = { id: 'account', accountId: '1', providerId: 'company', userId: 'anna', createdAt, updatedAt }
Object.assign(account, { accessToken: 'access-1', accessTokenExpiresAt: expired, refreshToken: current })
const database = { user: [person], session: [], account: [account], verification: [] }
const endpoints = { authorizationUrl: `${url}/authorize`, tokenUrl: `${url}/token` }
const company = { providerId: 'company', clientId: 'client', clientSecret: 'secret', ...endpoints }
const auth = betterAuth({
  baseURL: 'http://localhost:3000',
  secret: 'a secret of this program, 32 long',
  database: memoryAdapter(database),
  logger: { disabled: true },
  plugins: [genericOAuth({ config: [company] })],
})
const get = async () => {
  const body = { accountId: 'account', userId: 'anna' }
  return auth.api.getAccessToken({ body }).then(({ accessToken }) => accessToken, ({ status }) => status)
}
const both = await Promise.all([get(), get()])
console.log(both.join(' '), 'sent', sent.join(' '))
database.account[0].accessTokenExpiresAt = expired
console.log('later', await get())
process.exit()
JS
[ "$(node_modules/node/bin/node tokens.mjs)" = 'access-2 BAD_REQUEST sent refresh-1 refresh-1
later BAD_REQUEST' ]
echo 'as described'
