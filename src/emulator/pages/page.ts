import { html } from 'hono/html'
import { randomUUID } from '#platform'
import { stylesheet } from './stylesheet.ts'

export type Markup = ReturnType<typeof html>

/** On every answer to a browser, redirects included. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // No form-action: browsers apply it to the redirect after the form too, and that leads anywhere.
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  // Not no-referrer: browsers would then send the forms of these pages with `Origin: null`.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

/** What a page of the emulator is about. */
export interface PageSubject {
  /** Of this page alone: it is what a tab and a screen reader say first. */
  readonly title: string
  /** What is not real here; it stands on top of the page. */
  readonly note: string
  /** Links to other pages; the one that is shown carries `aria-current="page"`. @default none */
  readonly nav?: Markup | undefined
  /** Room for tables. @default false: the width of a text */
  readonly isWide?: boolean | undefined
  /** Source of a small script, which may call this origin. The page must do without it too. @default none */
  readonly script?: string | undefined
}

/** A page that says on top what it is. */
export async function page(
  status: number,
  { title, note, nav, isWide = false, script }: PageSubject,
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
<a class="skip" href="#main">Skip to the content</a>
<header>
<p role="note"><strong>Local emulator. Nothing is verified.</strong> ${note}</p>
${nav === undefined ? '' : html`<nav aria-label="Pages">${nav}</nav>`}
</header>
<main id="main" tabindex="-1">${content}</main>
`
  const text = String(await document)
  if (script === undefined) return new Response(`${text}</body>\n</html>\n`, { status, headers: pageHeaders })

  const nonce = randomUUID()
  const headers = {
    ...pageHeaders,
    'content-security-policy': `${pageHeaders['content-security-policy']}; script-src 'nonce-${nonce}'; connect-src 'self'`,
  }
  return new Response(`${text}${scriptElement(script, nonce)}</body>\n</html>\n`, { status, headers })
}

/** A script is no text that could be escaped: nothing in it may end its element. */
const scriptElement = (script: string, nonce: string) =>
  `<script nonce="${nonce}">${script.replaceAll('</', '<\\/').replaceAll('<!--', '<\\!--')}</script>\n`

/** A table of its own width, which can be scrolled with the keyboard too. @param label tells it from others */
export const scrollable = (label: string, table: Markup): Markup =>
  html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${table}</div>`
