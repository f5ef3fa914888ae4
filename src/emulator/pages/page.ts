import { html } from 'hono/html'
import { stylesheet } from './stylesheet.ts'

export type Markup = ReturnType<typeof html>

/** The headers of every response to a browser, redirects included. */
export const htmlHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // Without form-action, because browsers apply it also to the redirect after a form, which may lead to any origin.
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
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
  /** Links to other pages. The link to the current page has `aria-current="page"`. @default none */
  readonly nav?: Markup | undefined
  /** Uses the full width, for tables. @default false */
  readonly isWide?: boolean | undefined
  /** Source of a script, which may send requests to this origin. The page must work without it. @default none */
  readonly script?: string | undefined
}

/** Renders a page of the emulator. Every page says at the top that nothing is verified. */
export async function page(
  status: number,
  { title, note, nav, isWide = false, script }: PageFrame,
  content: Markup,
): Promise<Response> {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - local emulator</title>
<style>${stylesheet}</style>
</head>
<body${isWide ? html` class="wide"` : ''}>
<a class="skip" href="#main">Skip to content</a>
<header>
<p role="note"><strong>Local emulator. Nothing is verified.</strong> ${note}</p>
${nav === undefined ? '' : html`<nav aria-label="Pages">${nav}</nav>`}
</header>
<main id="main" tabindex="-1">${content}</main>
`
  const text = String(await document)
  if (script === undefined) return new Response(`${text}</body>\n</html>\n`, { status, headers: htmlHeaders })

  const nonce = crypto.randomUUID()
  const headers = {
    ...htmlHeaders,
    'content-security-policy': `${htmlHeaders['content-security-policy']}; script-src 'nonce-${nonce}'; connect-src 'self'`,
  }
  return new Response(`${text}${scriptElement(script, nonce)}</body>\n</html>\n`, { status, headers })
}

/** HTML escapes do not work in a script, so everything that could end the element is escaped as JavaScript. */
const scriptElement = (script: string, nonce: string) =>
  `<script nonce="${nonce}">${script.replaceAll('</', '<\\/').replaceAll('<!--', '<\\!--')}</script>\n`

/**
 * Wraps a table that may be wider than the page. The wrapper can be focused, so that the keyboard can scroll it.
 *
 * @param label name of the table for screen readers
 */
export const scrollable = (label: string, table: Markup): Markup =>
  html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${table}</div>`
