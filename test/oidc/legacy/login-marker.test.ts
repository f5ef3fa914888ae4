import { expect, it } from 'vitest'
import { ConfigurationError, loginMarkers, memoryStore } from '../../../src/index.ts'

const secret = 'a secret of the application'

function marked(options: { secret?: string } = {}) {
  let now = Date.UTC(2026, 0, 1)
  const store = memoryStore({ now: () => now })
  const markers = loginMarkers({ secret, store, now: () => new Date(now), ...options })
  return {
    markers,
    store,
    passTime: (ms: number) => {
      now += ms
    },
  }
}

it('spends a marker once', async () => {
  const { markers } = marked()
  const marker = await markers.create()

  const spent = await Promise.all([markers.spend(marker), markers.spend(marker)])

  expect(spent.sort()).toEqual([false, true])
  expect(await markers.spend(marker)).toBe(false)
})

it('spends each of several markers', async () => {
  const { markers } = marked()
  const made = [await markers.create(), await markers.create()]

  expect(await Promise.all(made.map((marker) => markers.spend(marker)))).toEqual([true, true])
})

it.each([
  ['at once', 0, true],
  ['after a little less than 10 minutes', 599_999, true],
  ['after 10 minutes', 600_000, false],
  ['before it was made', -1, false],
])('spends a marker %s: %3$s', async (_, ms, isSpent) => {
  const { markers, passTime } = marked()
  const marker = await markers.create()
  passTime(ms)

  expect(await markers.spend(marker)).toBe(isSpent)
})

it('remembers what is spent for as long as it could be spent again', async () => {
  const { markers, passTime } = marked()
  const marker = await markers.create()
  passTime(1000)
  expect(await markers.spend(marker)).toBe(true)

  for (let ms = 0; ms < 700_000; ms += 50_000) {
    expect(await markers.spend(marker)).toBe(false)
    passTime(50_000)
  }
})

it('makes markers of 256 bits, never the same', async () => {
  const { markers } = marked()
  const made = await Promise.all(Array.from({ length: 100 }, () => markers.create()))

  expect(new Set(made.map((marker) => marker.split('.')[0])).size).toBe(100)
  for (const marker of made) expect(marker).toMatch(/^[\w-]{43}\.\d+\.[\w-]{43}$/)
})

it('takes no marker that was changed, and spends nothing by the attempt', async () => {
  const { markers } = marked()
  const marker = await markers.create()

  for (let i = 0; i < marker.length; i++) {
    const changed = marker.slice(0, i) + (marker[i] === '1' ? '2' : '1') + marker.slice(i + 1)
    expect(await markers.spend(changed)).toBe(false)
  }
  for (const rubbish of ['', '.', `${marker}.`, ` ${marker}`, `${marker}\n`, undefined, null, {}]) {
    expect(await markers.spend(rubbish as string)).toBe(false)
  }
  expect(await markers.spend(marker)).toBe(true)
})

it('takes no marker that another secret has signed', async () => {
  const marker = await marked({ secret: 'another' }).markers.create()

  expect(await marked().markers.spend(marker)).toBe(false)
})

it.each(['', ' ', undefined])('refuses the secret %j', (blank) => {
  expect(() => loginMarkers({ secret: blank as string, store: memoryStore() })).toThrow(ConfigurationError)
  expect(() => loginMarkers({ secret: blank as string, store: memoryStore() })).toThrow(/^secret must not/)
})

it('marks by the clock of the system where no other is given', async () => {
  const markers = loginMarkers({ secret, store: memoryStore() })
  const marker = await markers.create()

  expect(Math.abs(Number(marker.split('.')[1]) - Date.now())).toBeLessThan(60_000)
  expect(await markers.spend(marker)).toBe(true)
})
