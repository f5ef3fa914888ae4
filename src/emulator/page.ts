import { html } from 'hono/html'

export type Markup = ReturnType<typeof html>

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // No form-action: browsers apply it to the redirect after the form too, and that leads anywhere.
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** What a page of the emulator is about. */
export interface PageSubject {
  readonly title: string
  /** What is not real here; it stands on top of the page. */
  readonly note: string
}

/** A page that says on top what it is. */
export async function page(status: number, { title, note }: PageSubject, content: Markup): Promise<Response> {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Local emulator: ${title}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 36rem; padding: 1rem; color: #111; background: #fff }
[role=note] { border: 3px solid #8a4b00; padding: .5rem 1rem; background: #fff4d6 }
button { font: inherit; padding: .5rem 1rem; margin: 0 .5rem .5rem 0 }
label { display: block; padding: .25rem 0 }
dd { overflow-wrap: anywhere }
</style>
</head>
<body>
<p role="note"><strong>Local emulator.</strong> ${note}</p>
<main>${content}</main>
</body>
</html>
`
  return new Response(String(await document), { status, headers: pageHeaders })
}
