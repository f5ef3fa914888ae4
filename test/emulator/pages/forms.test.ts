import { describe, expect, it } from 'vitest'
import { everyForm } from './every-form.ts'
import { headingOf, textOnPage } from './visitor.ts'

type HeadersAt = (ownOrigin: string) => Record<string, string>

describe.each(everyForm)('the form of %s', (_, visit) => {
  it.each<[what: string, headersAt: HeadersAt]>([
    ['another site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['another port or subdomain', () => ({ 'sec-fetch-site': 'same-site' })],
    [
      'another site with a forged Origin header',
      (ownOrigin) => ({ 'sec-fetch-site': 'cross-site', origin: ownOrigin }),
    ],
    ['an unknown kind of site', () => ({ 'sec-fetch-site': '' })],
    ['another origin', () => ({ origin: 'https://evil.example' })],
    ['the same host with another scheme', (ownOrigin) => ({ origin: ownOrigin.replace('https', 'http') })],
    ['the same host on another port', (ownOrigin) => ({ origin: `${ownOrigin}:8443` })],
    ['an opaque origin', () => ({ origin: 'null' })],
    ['an origin that is not a URL', () => ({ origin: 'evil' })],
  ])('is rejected with 403 from %s, and changes nothing', async (_, headersAt) => {
    const { press, url, fields, unchanged } = await visit()
    const headers = headersAt(new URL(url).origin)

    const rejected = await press(url, fields, headers)

    expect(rejected.status).toBe(403)
    expect(rejected.location).toBeNull()
    expect(headingOf(rejected)).toBe('This form was rejected')
    await unchanged()
    expect((await press(url, fields)).status).toBeLessThan(400)
  })

  it.each<[what: string, headersAt: HeadersAt]>([
    ['a page of the emulator', (ownOrigin) => ({ 'sec-fetch-site': 'same-origin', origin: ownOrigin })],
    [
      'a page of the emulator that hides its origin',
      () => ({ 'sec-fetch-site': 'same-origin', origin: 'null' }),
    ],
    ['a page that the person reloads', () => ({ 'sec-fetch-site': 'none' })],
    ['a browser without Sec-Fetch-Site', (ownOrigin) => ({ origin: ownOrigin })],
    [
      'a browser at the address behind the proxy',
      () => ({ origin: 'http://127.0.0.1:4010', host: '127.0.0.1:4010' }),
    ],
    ['a client that is not a browser', () => ({})],
  ])('is accepted from %s', async (_, headersAt) => {
    const { press, url, fields } = await visit()
    const headers = headersAt(new URL(url).origin)

    expect((await press(url, fields, headers)).status).toBeLessThan(400)
  })

  it('is rejected with 413 above 64 KiB, and accepted at 64 KiB', async () => {
    const { press, url, fields, unchanged } = await visit()
    const size = new URLSearchParams({ ...fields, pad: '' }).toString().length
    const padded = (bytes: number) => ({ ...fields, pad: 'x'.repeat(bytes - size) })

    const rejected = await press(url, padded(64 * 1024 + 1))

    expect(rejected.status).toBe(413)
    expect(textOnPage(rejected)).toContain('larger than 65536 bytes')
    await unchanged()
    expect((await press(url, padded(64 * 1024))).status).toBeLessThan(400)
  })

  it.each([
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded-not',
    '',
  ])('is rejected with 415 as %j', async (type) => {
    const { press, url, fields, unchanged } = await visit()

    const rejected = await press(url, fields, { 'content-type': type })

    expect(rejected.status).toBe(415)
    await unchanged()
  })

  it('is rejected with 400 if it is empty', async () => {
    const { press, url, unchanged } = await visit()

    expect((await press(url, {}, { 'content-type': '' })).status).toBe(400)
    await unchanged()
  })

  it('is accepted with a charset parameter', async () => {
    const { press, url, fields } = await visit()
    const headers = { 'content-type': 'Application/X-WWW-Form-Urlencoded ; charset=UTF-8' }

    expect((await press(url, fields, headers)).status).toBeLessThan(400)
  })
})
