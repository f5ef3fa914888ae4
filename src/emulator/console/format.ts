import { html } from 'hono/html'
import { parseJson } from '../../runtime/bytes.ts'
import { consolePath } from '../model/addresses.ts'
import { maskedJson, maskText } from '../model/secrets.ts'
import type { Markup } from '../pages/design/components.ts'

/** Longer texts are cut, because a value may be an image in base64. */
const maxTextLength = 2000
const maxJsonLength = 16_000

const cut = (text: string, maxLength: number) =>
  text.length > maxLength ? `${text.slice(0, maxLength)} … ${text.length - maxLength} more characters` : text

/**
 * Renders a text that may come from anyone, with its secrets masked. `bdi` keeps its text direction from affecting the
 * rest of the page.
 */
export const formatText = (text: string | null | undefined): Markup =>
  text === null || text === undefined || text === ''
    ? html`<span class="quiet">none</span>`
    : html`<bdi>${cut(maskText(text), maxTextLength)}</bdi>`

/** Renders a value as indented JSON. Its secrets are masked, and long strings are cut. */
export const formatJson = (value: unknown): Markup => html`<pre>${jsonText(parseJson(maskedJson(value) ?? ''))}</pre>`

/** Returns a text, whose secrets are masked already, with the lines of its JSON indented. Any other text is cut. */
export function indented(text: string): string {
  const value = parseJson(text)
  return value === undefined ? cut(text, maxJsonLength) : jsonText(value)
}

function jsonText(value: unknown): string {
  const text = JSON.stringify(value, (_, part) => (typeof part === 'string' ? cut(part, maxTextLength) : part), 2)
  return cut(text ?? 'none', maxJsonLength)
}

/** Renders a time in UTC, to the second. */
export function formatTime(at: Date | string, part: 'date and time' | 'time of day' = 'date and time'): Markup {
  const iso = new Date(at).toISOString()
  const text = iso.slice(part === 'time of day' ? 11 : 0, 19).replace('T', ' ')
  return html`<time datetime="${iso}">${text}</time>`
}

/** Returns the address of a page of the console. @param below such as `sessions` and the id of one */
export const addressOf = (...below: readonly string[]): string =>
  [consolePath, ...below.map(encodeURIComponent)].join('/')

/** Renders an id as a link to the page of its record. */
export const linkTo = (page: string, id: string): Markup =>
  html`<a href="${addressOf(page, id)}"><code class="id">${formatText(id)}</code></a>`

/** Renders a text as code. */
export const formatCode = (text: string | null | undefined): Markup => html`<code>${formatText(text)}</code>`
