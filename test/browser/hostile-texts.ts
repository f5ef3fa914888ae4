// Texts in other languages, and a broken entity: cspell:ignore notit שלום عليكم

import naughty from 'big-list-of-naughty-strings/blns.json' with { type: 'json' }

/** Texts that try to become markup or code. Code that runs sets `canary`. */
const attacks: readonly string[] = [
  `"><script>globalThis.canary=1</script>`,
  `'><img src=x onerror="globalThis.canary=1">`,
  `</title></style></textarea></pre></code></script><script>globalThis.canary=1</script>`,
  `--><script>globalThis.canary=1</script><!--`,
  `]]><svg/onload=globalThis.canary=1>`,
  `<svg><style><img src=x onerror=globalThis.canary=1></style></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=canary=1&gt;">`,
  `" autofocus onfocus="globalThis.canary=1" tabindex=1 x="`,
  `' onpointerover='globalThis.canary=1' style='position:fixed;inset:0' x='`,
  '` onmouseover=globalThis.canary=1 x=`',
  `<base href="https://elsewhere.example/"><link rel=stylesheet href=//elsewhere.example/x.css>`,
  `<meta http-equiv=refresh content="0;url=https://elsewhere.example/">`,
  `<iframe srcdoc="<script>parent.canary=1</script>"></iframe><object data=//elsewhere.example></object>`,
  `<form action=//elsewhere.example><button autofocus>`,
  `<template><b>x</b></template><noscript><p title="</noscript><img src=x onerror=canary=1>"><plaintext>`,
  `javascript:globalThis.canary=1//`,
  'data:text/html,<script>opener.canary=1</script>',
  `{{constructor.constructor('globalThis.canary=1')()}} \${globalThis.canary=1} #{7*7} <%= 7*7 %> [[7*7]]`,
  `&lt;script&gt; &amp;amp; &#60;b&#62; &quot &notit; &#x3c;`,
  `\\u003cscript\\u003e \\x3c \\"`,
  '\u202egnp.exe\u202c \u2066isolate\u2069 \u200f\u200e\u061c',
  'שלום عليكم \u200d\u200b\ufeff\u00ad\u2028\u2029\u0085',
  'Z\u0351\u036b\u0343\u036a\u0302a\u0311\u0307lgo \u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u{10ffff}',
  'a null \u0000 and others \u0001\u0008\u000b\u000c\u001b[31m\u007f',
  'a half \ud800 and another \udfff',
  'line\r\nline\rline\n\ttab   spaces',
  'W'.repeat(400),
]

export const hostileTexts: readonly string[] = [...attacks, ...naughty].filter((text) => text.trim() !== '')

/** A page does not cut texts of this length. */
const maxPartLength = 1900

/** The hostile texts joined to a few long ones, so that a page shows many at once. */
export const hostileParts: readonly string[] = inParts(hostileTexts)

function inParts(texts: readonly string[]): string[] {
  const parts: string[] = []
  for (const text of texts) {
    const joined = `${parts.at(-1)} ${text}`
    if (parts.length === 0 || joined.length > maxPartLength) parts.push(text)
    else parts[parts.length - 1] = joined
  }
  return parts
}

/** Returns all forms in which a page may write a text: unchanged, in JSON or in a URL. */
export function writtenForms(text: string): readonly string[] {
  const whole = text.toWellFormed()
  // Forms send line ends as CRLF.
  const submitted = whole.replaceAll(/\r\n?|\n/g, '\r\n')
  const json = [text, whole, submitted].map(inJson)
  const written = [text, ...json, ...json.map(inJson), encodeURIComponent(whole)]
  return [...new Set(written.flatMap(asParsed))]
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1)

/**
 * Returns what UTF-8 and an HTML parser make of a text. Lone surrogates become U+FFFD, line ends become LF, and null
 * characters are removed, or become U+FFFD in an attribute.
 */
function asParsed(text: string): readonly string[] {
  const lines = text.toWellFormed().replaceAll(/\r\n?/g, '\n')
  return ['', '\ufffd'].map((replacement) => lines.replaceAll('\0', replacement))
}

// The functions below reduce any text to what a field can contain.

/** A query contains percent-encoded UTF-8, which has no lone surrogates. */
export const inQuery = (text: string) => text.toWellFormed()

export const oneWord = (text: string) => inQuery(text).replaceAll(/[\s@]/g, '')

/** A redirect URI has no spaces and no fragment. */
export const inRedirectUri = (text: string) => inQuery(text).replaceAll(/[\s#]/g, '')

/** A name that is not that of a secret, whose value no page would show. */
export const inName = (text: string) => text.replaceAll('passwd', 'users')

/** Any text of one line, as the id of a client is. */
export const inLine = (text: string) => inQuery(text).replaceAll(/\p{Cc}/gu, '')

/** A header contains Latin-1 without control characters. */
export const inHeader = (text: string) => text.replaceAll(/[^ -~\u00a0-\u00ff]/g, '').trim()

/** A path is encoded by the URL parser. */
export const inPath = (text: string) => new URL(`http://x/${text.replaceAll(/[?#]/g, '')}`).pathname.slice(1)

/** A method is a token (RFC 9110). */
export const asToken = (text: string) => text.replaceAll(/[^\w!#$%&'*+.^`|~-]/g, '').slice(0, 500) || 'X'
