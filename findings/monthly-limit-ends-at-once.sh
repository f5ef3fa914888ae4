#!/usr/bin/env bash
# rate-limiter-flexible 11.4.0 (RateLimiterMemory) and p-throttle 8.1.1 pass their window to setTimeout, which Node
# 22.23.3 runs after 1 ms if it is longer than 2147483647 ms, about 24.8 days, with a warning. So a limit for 24 days
# holds, and one for 30 days does not. p-queue 10.0.0 rejects such an interval, and lru-cache 11.5.3 keeps a value of 30
# days. Seen: how many of 6 calls of a limit of 3 ran within a second, and what the others did.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
platform=$(node -p '`${process.platform}-${process.arch}`')
npm install --silent --no-audit --no-fund rate-limiter-flexible@11.4.0 p-throttle@8.1.1 p-queue@10.0.0 \
  lru-cache@11.5.3 node@npm:"node-$platform@22.23.3" >>npm.log
cat >limits.mjs <<'JS'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import PQueue from 'p-queue'
import pThrottle from 'p-throttle'
import { RateLimiterMemory } from 'rate-limiter-flexible'

const queueOf = (interval) => {
  try {
    return new PQueue({ intervalCap: 3, interval }) && 'created'
  } catch (error) {
    return error.name
  }
}
for (const days of [24, 30]) {
  const ms = days * 86_400_000
  const ran = { flexible: 0, throttle: 0 }
  const limiter = new RateLimiterMemory({ points: 3, duration: ms / 1000 })
  const throttled = pThrottle({ limit: 3, interval: ms })(() => { ran.throttle += 1 })
  const cache = new LRUCache({ max: 10, ttl: ms, ttlAutopurge: true }).set('key', 'kept')
  for (let call = 0; call < 6; call += 1) {
    await limiter.consume('customer').then(() => { ran.flexible += 1 }, () => {})
    throttled()
    await sleep(50)
  }
  await sleep(300)
  console.log(days, 'flexible', ran.flexible, 'throttle', ran.throttle, 'queue', queueOf(ms), 'cache', cache.get('key'))
}
process.exit()
JS
[ "$(node_modules/node/bin/node limits.mjs 2>warnings.log)" = '24 flexible 3 throttle 3 queue created cache kept
30 flexible 6 throttle 6 queue TypeError cache kept' ]
echo 'as described'
