import { describe, expect, it } from 'vitest'
import { everyForm } from './every-form.ts'
import { headingOf, textOnPage } from './visitor.ts'

type HeadersAt = (ours: string) => Record<string, string>

describe.each(everyForm)('the form of %s', (_, visit) => {
  it.each<[what: string, headersAt: HeadersAt]>([
    ['another site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['another port or subdomain', () => ({ 'sec-fetch-site': 'same-site' })],
    ['another site that pretends to be ours', (ours) => ({ 'sec-fetch-site': 'cross-site', origin: ours })],
    ['an unknown kind of site', () => ({ 'sec-fetch-site': '' })],
    ['another origin', () => ({ origin: 'https://evil.example' })],
    ['our host under another scheme', (ours) => ({ origin: ours.replace('https', 'http') })],
    ['our host at another port', (ours) => ({ origin: `${ours}:8443` })],
    ['an opaque origin', () => ({ origin: 'null' })],
    ['an origin that is no URL', () => ({ origin: 'evil' })],
  ])('is refused with 403 from %s, and changes nothing', async (_, headersAt) => {
    const { press, url, fields, unchanged } = await visit()
    const headers = headersAt(new URL(url).origin)

    const refused = await press(url, fields, headers)

    expect(refused.status).toBe(403)
    expect(refused.location).toBeNull()
    expect(headingOf(refused)).toBe('This form was refused')
    await unchanged()
    expect((await press(url, fields)).status).toBeLessThan(400)
  })

  it.each<[what: string, headersAt: HeadersAt]>([
    ['a page of ours', (ours) => ({ 'sec-fetch-site': 'same-origin', origin: ours })],
    ['a page of ours that hides its origin', () => ({ 'sec-fetch-site': 'same-origin', origin: 'null' })],
    ['a page that the person reloads', () => ({ 'sec-fetch-site': 'none' })],
    ['a browser that knows no Sec-Fetch-Site', (ours) => ({ origin: ours })],
    [
      'a browser at the address behind the proxy',
      () => ({ origin: 'http://127.0.0.1:4010', host: '127.0.0.1:4010' }),
    ],
    ['no browser', () => ({})],
  ])('is taken from %s', async (_, headersAt) => {
    const { press, url, fields } = await visit()
    const headers = headersAt(new URL(url).origin)

    expect((await press(url, fields, headers)).status).toBeLessThan(400)
  })

  it('is refused with 413 beyond 64 KiB, and not at it', async () => {
    const { press, url, fields, unchanged } = await visit()
    const size = new URLSearchParams({ ...fields, pad: '' }).toString().length
    const padded = (bytes: number) => ({ ...fields, pad: 'x'.repeat(bytes - size) })

    const refused = await press(url, padded(64 * 1024 + 1))

    expect(refused.status).toBe(413)
    expect(textOnPage(refused)).toContain('larger than 65536 bytes')
    await unchanged()
    expect((await press(url, padded(64 * 1024))).status).toBeLessThan(400)
  })

  it.each([
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded-not',
    '',
  ])('is refused with 415 as %j', async (type) => {
    const { press, url, fields, unchanged } = await visit()

    const refused = await press(url, fields, { 'content-type': type })

    expect(refused.status).toBe(415)
    await unchanged()
  })

  it('is asked again with 400 where nothing was sent', async () => {
    const { press, url, unchanged } = await visit()

    expect((await press(url, {}, { 'content-type': '' })).status).toBe(400)
    await unchanged()
  })

  it('is taken with a charset', async () => {
    const { press, url, fields } = await visit()
    const headers = { 'content-type': 'Application/X-WWW-Form-Urlencoded ; charset=UTF-8' }

    expect((await press(url, fields, headers)).status).toBeLessThan(400)
  })
})
