import { expect, it } from 'vitest'
import { ConfigurationError, loginMarkers, memoryStore } from '../../../src/index.ts'
import { keyAdvice } from '../../../src/oidc/key-command.ts'

const secret = 'a secret of the application'

function setUp(options: { secret?: string } = {}) {
  let now = Date.UTC(2026, 0, 1)
  const store = memoryStore({ now: () => new Date(now) })
  const markers = loginMarkers({ secret, store, now: () => new Date(now), ...options })
  return {
    markers,
    store,
    passTime: (ms: number) => {
      now += ms
    },
  }
}

it('accepts a marker once', async () => {
  const { markers } = setUp()
  const marker = await markers.create()

  const spent = await Promise.all([markers.spend(marker), markers.spend(marker)])

  expect(spent.sort()).toEqual([false, true])
  expect(await markers.spend(marker)).toBe(false)
})

it('accepts each of several markers', async () => {
  const { markers } = setUp()
  const made = [await markers.create(), await markers.create()]

  expect(await Promise.all(made.map((marker) => markers.spend(marker)))).toEqual([true, true])
})

it.each([
  ['accepts', 'at once', 0, true],
  ['accepts', 'just before 10 minutes are over', 599_999, true],
  ['rejects', 'after 10 minutes', 600_000, false],
  ['rejects', 'before it was created', -1, false],
])('%s a marker %s', async (_does, _when, ms, isAccepted) => {
  const { markers, passTime } = setUp()
  const marker = await markers.create()
  passTime(ms)

  expect(await markers.spend(marker)).toBe(isAccepted)
})

it('rejects a used marker for as long as it is valid', async () => {
  const { markers, passTime } = setUp()
  const marker = await markers.create()
  passTime(1000)
  expect(await markers.spend(marker)).toBe(true)

  for (let ms = 0; ms < 700_000; ms += 50_000) {
    expect(await markers.spend(marker)).toBe(false)
    passTime(50_000)
  }
})

it.each([
  ['the first to use it', { creator: 0, first: 60_000, second: 0 }],
  ['all but the second to use it', { creator: 60_000, first: 60_000, second: 0 }],
  ['the one that creates it', { creator: 60_000, first: 0, second: 0 }],
])('accepts a marker once if %s has a clock that is a minute ahead', async (_, { creator, first, second }) => {
  let now = Date.UTC(2026, 0, 1)
  const store = memoryStore({ now: () => new Date(now) })
  const processAhead = (ms: number) => loginMarkers({ secret, store, now: () => new Date(now + ms) })
  const marker = await processAhead(creator).create()
  now += 5 * 60_000
  expect(await processAhead(first).spend(marker)).toBe(true)

  const again: boolean[] = []
  for (let seconds = 0; seconds < 10 * 60; seconds++, now += 1000) again.push(await processAhead(second).spend(marker))

  expect(again).not.toContain(true)
})

it('creates a new marker of 256 random bits each time', async () => {
  const { markers } = setUp()
  const made = await Promise.all(Array.from({ length: 100 }, () => markers.create()))

  expect(new Set(made.map((marker) => marker.split('.')[0])).size).toBe(100)
  for (const marker of made) expect(marker).toMatch(/^[\w-]{43}\.\d+\.[\w-]{43}$/)
})

it('rejects a marker that was changed, without using up the original', async () => {
  const { markers } = setUp()
  const marker = await markers.create()

  for (let i = 0; i < marker.length; i++) {
    const changed = marker.slice(0, i) + (marker[i] === '1' ? '2' : '1') + marker.slice(i + 1)
    expect(await markers.spend(changed)).toBe(false)
  }
  for (const invalid of ['', '.', `${marker}.`, ` ${marker}`, `${marker}\n`, undefined, null, {}]) {
    expect(await markers.spend(invalid as string)).toBe(false)
  }
  expect(await markers.spend(marker)).toBe(true)
})

it('the first secret that is not undefined signs, and markers of all are accepted', async () => {
  const store = memoryStore()
  const made = (...secrets: (string | undefined)[]) => loginMarkers({ secret: secrets, store })
  const marker = await made('the old secret').create()
  const next = await made(undefined, 'the new secret', 'the old secret').create()

  expect(await made('the new secret').spend(marker)).toBe(false)
  expect(await made('the new secret', undefined, 'the old secret').spend(marker)).toBe(true)
  expect(await made('the new secret').spend(next)).toBe(true)
})

const notASecret =
  'must be one visible line without spaces around it, not undefined or null: check the variable that you pass'

it.each([
  ['', 'is missing: check the variable that you pass'],
  [' ', notASecret],
  [`${secret}\n`, notASecret],
  [undefined, 'is missing: check the variable that you pass'],
  [[undefined], 'is missing: check the variable that you pass'],
])('rejects the secret %j, and says how to generate one', (secret, fault) => {
  expect(() => loginMarkers({ secret, store: memoryStore() })).toThrow(
    new ConfigurationError({ message: `loginMarkers: secret ${fault}. ${keyAdvice}` }),
  )
})

it('uses the clock of the system by default', async () => {
  const markers = loginMarkers({ secret, store: memoryStore() })
  const marker = await markers.create()

  expect(Math.abs(Number(marker.split('.')[1]) - Date.now())).toBeLessThan(60_000)
  expect(await markers.spend(marker)).toBe(true)
})

it('names the store of login markers if it fails', async () => {
  const store = { ...memoryStore(), set: () => Promise.reject(new Error('down')) }
  const markers = loginMarkers({ secret, store })

  await expect(markers.spend(await markers.create())).rejects.toThrow('the store of login markers failed at set')
})
