import { html } from 'hono/html'
import type { Markup } from '../pages/page.ts'

/** Longer texts are cut, because a value may be an image in base64. */
const maxTextLength = 2000
const maxJsonLength = 16_000

const cut = (text: string, maxLength: number) =>
  text.length > maxLength ? `${text.slice(0, maxLength)} … ${text.length - maxLength} more characters` : text

/** Renders a text that may come from anyone. `bdi` keeps its text direction from affecting the rest of the page. */
export const formatText = (text: string | null | undefined): Markup =>
  text === null || text === undefined || text === ''
    ? html`<span class="quiet">none</span>`
    : html`<bdi>${cut(text, maxTextLength)}</bdi>`

/** Renders a value as indented JSON. Long strings in it are cut. */
export function formatJson(value: unknown): Markup {
  const text = JSON.stringify(
    value,
    (_, part) => (typeof part === 'string' ? cut(part, maxTextLength) : part),
    2,
  )
  return html`<pre>${cut(text ?? 'none', maxJsonLength)}</pre>`
}

/** Renders a time in UTC, to the second. */
export function formatTime(at: Date | string): Markup {
  const iso = new Date(at).toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')}</time>`
}
