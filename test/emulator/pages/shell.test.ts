import { html } from 'hono/html'
import { expect, it } from 'vitest'
import { badge, scrollable } from '../../../src/emulator/pages/design/components.ts'
import { page, redirect } from '../../../src/emulator/pages/page.ts'
import { named } from './visitor.ts'

// Every page and every redirect is made by these two functions.

const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'"
const nav = html`<a href="/one" aria-current="page">One</a>`

async function shown(content = html`<h1>x</h1>`, more: object = {}) {
  const response = await page(200, { title: 'A page', note: 'This is a test.', ...more }, content)
  return { headers: Object.fromEntries(response.headers), source: await response.text() }
}

it('pages and redirects have strict headers, and pages for end users run no script', async () => {
  const strict = {
    'cache-control': 'no-store',
    'content-security-policy': policy,
    'content-type': 'text/html; charset=utf-8',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  }

  const { headers, source } = await shown()

  expect(headers).toEqual(strict)
  expect(Object.fromEntries(redirect('/next').headers)).toEqual({ ...strict, location: '/next' })
  expect(named({ source }, 'script')).toEqual([])
})

it('a page has a language and a title, and starts with a skip link and the notice that nothing is verified', async () => {
  const { source } = await shown()

  expect(source).toMatch(/^<!doctype html>\n<html lang="en">/)
  expect(named({ source }, 'title').map(({ text }) => text)).toEqual(['A page - local emulator'])
  expect(source).toMatch(/<body[^>]*>\n<a class="skip" href="#main">[\s\S]*<header>[\s\S]*<\/header>\s*<main id="main"/)
  expect(named({ source }, 'header')[0]?.text).toBe('Local emulator. Nothing is verified. This is a test.')
})

it('a page loads nothing from elsewhere', async () => {
  const { source } = await shown(html``, { nav })

  expect(named({ source }, 'link')[0]?.attributes.href).toMatch(/^data:image\/svg\+xml,/)
  expect(source).not.toMatch(/\ssrc=|<(?:img|iframe|object|embed|base)|@import|url\((?!"data:)/)
})

it('allows only the script with the nonce of this response, and only requests to the same origin', async () => {
  const [one, two] = [await shown(html``, { nav }), await shown(html``, { nav })]

  const [script] = named(one, 'script')
  const { nonce = '' } = script?.attributes ?? {}
  expect(one.headers['content-security-policy']).toBe(`${policy}; script-src 'nonce-${nonce}'; connect-src 'self'`)
  expect(script?.text).not.toMatch(/<\/|<!--/)
  expect(nonce).toMatch(/^[\w-]{22,}$/)
  expect(named(two, 'script')[0]?.attributes.nonce).not.toBe(nonce)
})

it('has a navigation landmark if there are links to other pages', async () => {
  expect(named(await shown(html``, { nav }), 'nav')).toMatchObject([
    { attributes: { 'aria-label': 'Pages' }, text: 'One' },
  ])
  expect(named(await shown(), 'nav')).toEqual([])
})

it('makes a wide table scrollable with the keyboard', async () => {
  const divs = named(await shown(scrollable('Wide "table"', html`<table></table>`)), 'div')

  expect(divs[0]?.attributes).toMatchObject({ role: 'region', 'aria-label': 'Wide "table"', tabindex: '0' })
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
  expect(named(await shown(badge(status)), 'main')[0]?.text).toBe(`${sign} ${status}`)
})
