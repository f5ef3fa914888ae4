import { html } from 'hono/html'
import type { Markup } from '../pages/page.ts'

/** Longer texts are cut: a page is no place for an image in base64. */
const longestText = 2000
const longestDocument = 16_000

const cut = (text: string, longest: number) =>
  text.length > longest ? `${text.slice(0, longest)} … ${text.length - longest} more characters` : text

/** A text of somebody else's, in full unless it is very long. What it does to the direction of text stays in it. */
export const formatText = (text: string | null | undefined): Markup =>
  text === null || text === undefined || text === ''
    ? html`<span class="quiet">none</span>`
    : html`<bdi>${cut(text, longestText)}</bdi>`

/** A value as indented JSON; long texts within are cut. */
export function formatJson(value: unknown): Markup {
  const text = JSON.stringify(
    value,
    (_, part) => (typeof part === 'string' ? cut(part, longestText) : part),
    2,
  )
  return html`<pre>${cut(text ?? 'nothing', longestDocument)}</pre>`
}

/** A moment, to the second, in UTC. */
export function formatTime(at: Date | string): Markup {
  const iso = new Date(at).toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')}</time>`
}
