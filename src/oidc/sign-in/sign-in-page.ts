/** What a page about a failed sign-in says. All texts are escaped. */
export interface SignInPage {
  /** What happened, for the person. */
  readonly explanation: string
  /** The reason as a short text, for a support request. */
  readonly reason: string
  /** What to check, for the developer. Only on a development machine. */
  readonly hint?: string | undefined
  /** Where the link to sign in again leads. Missing if that cannot help. */
  readonly loginUrl?: string | undefined
}

/** The headers of such a page. Its URL has the code of the callback, so it is not sent as a referrer. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Renders a page about a failed sign-in. */
export function signInPage({ explanation, reason, hint, loginUrl }: SignInPage): string {
  const paragraphs = [
    escapeHtml(explanation),
    ...(loginUrl === undefined ? [] : [`<a href="${escapeHtml(loginUrl)}">Sign in again</a>`]),
    ...(hint === undefined ? [] : [`<b>For developers:</b> ${escapeHtml(hint)}`]),
    `<small>${escapeHtml(reason)}</small>`,
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign-in failed</title>
<style>body { font: 1.1rem/1.5 system-ui, sans-serif; margin: 4rem auto; max-width: 32rem; padding: 0 1rem }</style>
</head>
<body>
<main>
<h1>Sign-in failed</h1>
${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')}
</main>
</body>
</html>
`
}

/**
 * Returns the URL of the login route as a link on the callback page, or on the login page itself. It is relative,
 * because the app may be mounted below a path that only the browser has: a router strips it, and so may a proxy.
 */
export const linkBetween = (from: string, to: string): string =>
  `./${'../'.repeat(from.split('/').length - 2)}${to.slice(1)}`

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Returns a text that a page shows as it is, also in an attribute in quotes. */
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] as string)
