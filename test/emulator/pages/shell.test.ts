import { html } from 'hono/html'
import { expect, it } from 'vitest'
import { badge, scrollable } from '../../../src/emulator/pages/design/components.ts'
import { page } from '../../../src/emulator/pages/page.ts'
import { elements, named, only, parse, textOf } from './document.ts'

const subject = { title: 'A page', note: 'This is a test.' }
const nav = html`<a href="/one" aria-current="page">One</a>`

const policyOf = (response: Response) => String(response.headers.get('content-security-policy'))

it('allows only the script with the nonce of this response, and only requests to the same origin', async () => {
  const [one, two] = await Promise.all([1, 2].map(() => page(200, { ...subject, nav }, html`<h1>Live</h1>`)))

  const nonces = [one, two].map((response) => /'nonce-([^']*)'/.exec(policyOf(response as Response))?.[1])
  const element = only(parse(await (one as Response).text()), 'script')
  expect(policyOf(one as Response)).toBe(
    `default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'; script-src 'nonce-${nonces[0]}'; connect-src 'self'`,
  )
  expect(element.attributes).toEqual({ nonce: nonces[0] })
  expect(textOf(element)).not.toMatch(/<\/|<!--/)
  expect(nonces[0]).toMatch(/^[\w-]{22,}$/)
  expect(nonces[1]).not.toBe(nonces[0])
})

it('allows no script on a page for end users', async () => {
  const response = await page(200, subject, html`<h1>Still</h1>`)

  expect(policyOf(response)).not.toMatch(/script|connect|nonce/)
  expect(named(parse(await response.text()), 'script')).toEqual([])
})

it('has a navigation landmark if there are links to other pages', async () => {
  const document = parse(await (await page(200, { ...subject, nav }, html`<h1>x</h1>`)).text())

  const landmark = only(document, 'nav')
  expect(landmark.attributes).toMatchObject({ 'aria-label': 'Pages' })
  expect(textOf(landmark)).toBe('One')
  expect(named(parse(await (await page(200, subject, html`<h1>x</h1>`)).text()), 'nav')).toEqual([])
})

it('makes a wide table scrollable with the keyboard', async () => {
  const content = scrollable('Wide "table"', html`<table></table>`)
  const document = parse(await (await page(200, subject, content)).text())

  const [region] = elements(document).filter(({ attributes }) => attributes.role === 'region')
  expect(region?.attributes).toMatchObject({ 'aria-label': 'Wide "table"', tabindex: '0' })
  expect(region?.children).toMatchObject([{ name: 'table' }])
})

it.each([
  ['passed', '✓'],
  ['DECLINED', '✗'],
  ['IN_REVIEW', '?'],
  ['200', '✓'],
  ['404', '?'],
  ['503', '✗'],
  ['<b>', '·'],
])('shows a sign before the status %s', async (status, sign) => {
  const document = parse(await (await page(200, subject, badge(status))).text())

  expect(textOf(only(document, 'main'))).toBe(`${sign} ${status}`)
})
