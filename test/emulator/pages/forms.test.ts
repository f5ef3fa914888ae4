import { expect, it } from 'vitest'
import { everyForm } from './every-form.ts'
import { headingOf, textOnPage } from './visitor.ts'

type HeadersAt = (ownOrigin: string) => Record<string, string>

/** Combines each form with each case. */
const onEveryForm = <Case>(cases: readonly (readonly [what: string, one: Case])[]) =>
  everyForm.flatMap(([form, visit]) => cases.map(([what, one]) => ({ form, what, visit, one })))

it.each(
  onEveryForm<HeadersAt>([
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
  ]),
)('the form of $form is rejected with 403 from $what, and changes nothing', async ({ visit, one }) => {
  const { press, url, fields, unchanged } = await visit()
  const headers = one(new URL(url).origin)

  const rejected = await press(url, fields, headers)

  expect(rejected.status).toBe(403)
  expect(rejected.location).toBeNull()
  expect(headingOf(rejected)).toBe('This form was rejected')
  await unchanged()
  expect((await press(url, fields)).status).toBeLessThan(400)
})

it.each(
  onEveryForm<HeadersAt>([
    ['a page of the emulator', (ownOrigin) => ({ 'sec-fetch-site': 'same-origin', origin: ownOrigin })],
    ['a page of the emulator that hides its origin', () => ({ 'sec-fetch-site': 'same-origin', origin: 'null' })],
    ['a page that the person reloads', () => ({ 'sec-fetch-site': 'none' })],
    ['a browser without Sec-Fetch-Site', (ownOrigin) => ({ origin: ownOrigin })],
    ['a browser at the address behind the proxy', () => ({ origin: 'http://127.0.0.1:4010', host: '127.0.0.1:4010' })],
    ['a client that is not a browser', () => ({})],
  ]),
)('the form of $form is accepted from $what', async ({ visit, one }) => {
  const { press, url, fields } = await visit()
  const headers = one(new URL(url).origin)

  expect((await press(url, fields, headers)).status).toBeLessThan(400)
})

it.each(everyForm)('the form of %s is rejected with 413 above 64 KiB, and accepted at 64 KiB', async (_, visit) => {
  const { press, url, fields, unchanged } = await visit()
  const size = new URLSearchParams({ ...fields, pad: '' }).toString().length
  const padded = (bytes: number) => ({ ...fields, pad: 'x'.repeat(bytes - size) })

  const rejected = await press(url, padded(64 * 1024 + 1))

  expect(rejected.status).toBe(413)
  expect(textOnPage(rejected)).toContain('larger than 65536 bytes')
  await unchanged()
  expect((await press(url, padded(64 * 1024))).status).toBeLessThan(400)
})

it.each(
  onEveryForm(
    [
      'application/json',
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded-not',
      '',
    ].map((type) => [JSON.stringify(type), type]),
  ),
)('the form of $form is rejected with 415 as $what', async ({ visit, one }) => {
  const { press, url, fields, unchanged } = await visit()

  const rejected = await press(url, fields, { 'content-type': one })

  expect(rejected.status).toBe(415)
  await unchanged()
})

it.each(everyForm)('the form of %s is rejected with 400 if it is empty', async (_, visit) => {
  const { press, url, unchanged } = await visit()

  expect((await press(url, {}, { 'content-type': '' })).status).toBe(400)
  await unchanged()
})

it.each(everyForm)('the form of %s is accepted with a charset parameter', async (_, visit) => {
  const { press, url, fields } = await visit()
  const headers = { 'content-type': 'Application/X-WWW-Form-Urlencoded ; charset=UTF-8' }

  expect((await press(url, fields, headers)).status).toBeLessThan(400)
})
