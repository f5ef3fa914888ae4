import { html, raw } from 'hono/html'
import type { Markup, Tone } from './design/components.ts'
import { type IconName, icon, tabIcon } from './design/icons.ts'
import { pageScript } from './design/script.ts'
import { stylesheet } from './design/stylesheet.ts'

/** The headers of every response to a browser, redirects included. */
const htmlHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // Without form-action, because browsers apply it also to the redirect after a form, which may lead to any origin.
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
  // Not no-referrer, because browsers would then send the forms of these pages with `Origin: null`.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

/** The parts of a page around its content. */
export interface PageFrame {
  /** Must be unique to this page, because browser tabs show it and screen readers read it first. */
  readonly title: string
  /** What is not real on this page. Shown at the top. */
  readonly note: string
  /** Links to other pages, in a sidebar. The link to the current page has `aria-current="page"`. @default none */
  readonly nav?: Markup | undefined
}

/** Renders a page of the emulator. Every page says at the top that nothing is verified. */
export async function page(status: number, { title, note, nav }: PageFrame, content: Markup): Promise<Response> {
  const nonce = crypto.randomUUID()
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - local emulator</title>
<link rel="icon" href="${tabIcon}">
<style>${stylesheet}</style>
</head>
<body class="${nav === undefined ? 'sheet' : 'console'}">
<a class="skip" href="#main">Skip to content</a>
<header><p role="note"><strong>Local emulator. Nothing is verified.</strong> ${note}</p></header>
${nav === undefined ? '' : html`<nav class="sidebar" aria-label="Pages"><div>${nav}</div></nav>`}
<main id="main" tabindex="-1">${content}</main>
${nav === undefined ? '' : html`<script nonce="${nonce}">${raw(pageScript)}</script>`}
</body>
</html>
`
  const policy = htmlHeaders['content-security-policy']
  const headers =
    nav === undefined
      ? htmlHeaders
      : {
          ...htmlHeaders,
          'content-security-policy': `${policy}; script-src 'nonce-${nonce}'; connect-src 'self'`,
        }
  return new Response(String(await document), { status, headers })
}

/** Redirects the browser. A 303 makes it follow a form with a GET. */
export const redirect = (location: string, status: 302 | 303 = 303): Response =>
  new Response(null, { status, headers: { ...htmlHeaders, location } })

/** Renders the beginning of a sheet: a sign, what the sheet is about, and its main heading. */
export const sheetHead = (
  name: IconName,
  heading: string,
  { about, tone = 'idle' }: { readonly about?: Markup | string; readonly tone?: Tone } = {},
): Markup =>
  html`<span class="emblem" data-tone="${tone}">${icon(name)}</span>
<h1>${heading}</h1>
${about === undefined ? '' : html`<p class="quiet">${about}</p>`}`
