import { expect, it } from 'vitest'
import { inProcess } from '../support/service.ts'
import { headingOf, textOnPage, visitor } from './visitor.ts'

/** The hosted page. Its form is checked by the functions that check every form of the pages. */
async function hosted() {
  const { emulator, session, statusOf } = inProcess()
  const { session_id, url } = await session()
  const { press } = visitor(emulator)
  return {
    approve: (headers: Record<string, string> = {}, more: object = {}) =>
      press(url, { choice: 'approve', ...more }, headers),
    origin: new URL(url).origin,
    status: () => statusOf(session_id),
  }
}

type HeadersAt = (ownOrigin: string) => Record<string, string>

it.each<[what: string, headers: HeadersAt]>([
  ['another site', () => ({ 'sec-fetch-site': 'cross-site' })],
  ['another port or subdomain', () => ({ 'sec-fetch-site': 'same-site' })],
  ['another site with a forged Origin', (ownOrigin) => ({ 'sec-fetch-site': 'cross-site', origin: ownOrigin })],
  ['an unknown kind of site', () => ({ 'sec-fetch-site': '' })],
  ['another origin', () => ({ origin: 'https://evil.example' })],
  ['the same host with another scheme', (ownOrigin) => ({ origin: ownOrigin.replace('https', 'http') })],
  ['the same host on another port', (ownOrigin) => ({ origin: `${ownOrigin}:8443` })],
  ['an opaque origin', () => ({ origin: 'null' })],
  ['an origin that is not a URL', () => ({ origin: 'evil' })],
])('a form is rejected with 403 from %s, and changes nothing', async (_, headers) => {
  const { approve, origin, status } = await hosted()

  const rejected = await approve(headers(origin))

  expect([rejected.status, rejected.location]).toEqual([403, null])
  expect(headingOf(rejected)).toBe('This form was rejected')
  expect(await status()).toBe('NOT_STARTED')
})

it.each<[what: string, headers: HeadersAt]>([
  ['a page of the emulator', (ownOrigin) => ({ 'sec-fetch-site': 'same-origin', origin: ownOrigin })],
  ['a page of the emulator that hides its origin', () => ({ 'sec-fetch-site': 'same-origin', origin: 'null' })],
  ['a page that the person reloads', () => ({ 'sec-fetch-site': 'none' })],
  ['a browser without Sec-Fetch-Site', (ownOrigin) => ({ origin: ownOrigin })],
  ['a browser at the address behind the proxy', () => ({ origin: 'http://127.0.0.1:4010', host: '127.0.0.1:4010' })],
  ['a client that is not a browser', () => ({})],
  ['a client that sends a charset', () => ({ 'content-type': 'Application/X-WWW-Form-Urlencoded ; charset=UTF-8' })],
])('a form is accepted from %s', async (_, headers) => {
  const { approve, origin } = await hosted()

  expect((await approve(headers(origin))).status).toBe(303)
})

it('a form is rejected with 413 above 64 KiB, and accepted at 64 KiB', async () => {
  const { approve, status } = await hosted()
  const pad = 'x'.repeat(64 * 1024 - 'choice=approve&pad='.length)

  const rejected = await approve({}, { pad: `${pad}x` })

  expect(rejected.status).toBe(413)
  expect(textOnPage(rejected)).toContain('larger than 65536 bytes')
  expect(await status()).toBe('NOT_STARTED')
  expect((await approve({}, { pad })).status).toBe(303)
})

it.each(['application/json', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded-not', ''])(
  'a form is rejected with 415 as %j',
  async (type) => {
    const { approve, status } = await hosted()

    expect((await approve({ 'content-type': type })).status).toBe(415)
    expect(await status()).toBe('NOT_STARTED')
  },
)
