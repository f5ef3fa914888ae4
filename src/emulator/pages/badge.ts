import { html } from 'hono/html'
import type { Markup } from './page.ts'

type Tone = 'good' | 'bad' | 'doubt' | 'idle'

const tones: ReadonlyMap<string, Tone> = new Map([
  ['passed', 'good'],
  ['APPROVED', 'good'],
  ['active', 'good'],
  ['delivered', 'good'],
  ['failed', 'bad'],
  ['DECLINED', 'bad'],
  ['review', 'doubt'],
  ['IN_REVIEW', 'doubt'],
])

const signs: Readonly<Record<Tone, string>> = { good: '✓', bad: '✗', doubt: '?', idle: '·' }

/** Renders a status as a word with a sign and a border style, so that no meaning depends on color alone. */
export function badge(status: string): Markup {
  const tone = tones.get(status) ?? 'idle'
  return html`<span class="badge ${tone}"><span aria-hidden="true">${signs[tone]}</span> ${status}</span>`
}
