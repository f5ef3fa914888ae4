import { html } from 'hono/html'
import { type IconName, icon } from './icons.ts'

export type Markup = ReturnType<typeof html>

export type Tone = 'success' | 'danger' | 'warning' | 'idle'

const tones: ReadonlyMap<string, Tone> = new Map([
  ['passed', 'success'],
  ['APPROVED', 'success'],
  ['active', 'success'],
  ['delivered', 'success'],
  ['live', 'success'],
  ['failed', 'danger'],
  ['DECLINED', 'danger'],
  ['revoked', 'danger'],
  ['review', 'warning'],
  ['IN_REVIEW', 'warning'],
  ['retrying', 'warning'],
])

/** Returns the tone of a status: of a check, a session, a member, a delivery or an HTTP response. */
export function toneOf(status: string): Tone {
  if (/^\d{3}$/.test(status)) return status < '400' ? 'success' : status < '500' ? 'warning' : 'danger'
  return tones.get(status) ?? 'idle'
}

const signs: Readonly<Record<Tone, string>> = { success: '✓', danger: '✗', warning: '?', idle: '·' }

/** Renders a status as a word with a sign, so that no meaning depends on color alone. */
export function badge(status: string): Markup {
  const tone = toneOf(status)
  const variant = tone === 'idle' ? 'secondary' : tone
  return html`<span class="badge" data-variant="${variant}"><span aria-hidden="true">${signs[tone]}</span> ${status}</span>`
}

/**
 * Wraps a table that may be wider than the page. The wrapper can be focused, so that the keyboard can scroll it.
 *
 * @param label name of the table for screen readers
 */
export const scrollable = (label: string, table: Markup): Markup =>
  html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${table}</div>`

/** Renders a card, which is a region of the page. @param heading of level 2 */
export const card = (heading: string, content: Markup): Markup =>
  html`<section class="card" aria-label="${heading}"><h2>${heading}</h2>
${content}</section>
`

/** Renders names with their values. */
export const factList = (pairs: readonly (readonly [name: Markup | string, value: Markup | string])[]): Markup =>
  html`<dl>${pairs.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`

/** Renders what happened, oldest first. @param entries `status` colors the point of an entry */
export const timeline = (
  entries: readonly { readonly at: Markup; readonly text: Markup | string; readonly status?: string }[],
): Markup =>
  html`<ol class="timeline">${entries.map(
    ({
      at,
      text,
      status = '',
    }) => html`<li data-tone="${toneOf(status)}"><span class="point" aria-hidden="true">●</span> <span>${text}</span> ${at}</li>
`,
  )}</ol>`

/** Renders what a page shows while it has nothing to show. @param hint what the developer can do */
export const emptyState = (name: IconName, title: string, hint: Markup | string): Markup =>
  html`<div class="empty">${icon(name)}<p><strong>${title}</strong></p><p class="quiet">${hint}</p></div>`

/** Renders text that people copy. The button appears if the browser runs scripts. */
export const codeBlock = (label: string, text: string): Markup =>
  html`<div class="code"><button type="button" class="outline small" data-copy hidden>Copy<span class="out-of-sight"> ${label}</span></button>
<pre><code>${text}</code></pre></div>`

/** Renders what was wrong with a submitted form. @param problem a sentence; nothing is rendered without one */
export const errorMessage = (problem: string | undefined): Markup =>
  problem === undefined ? html`` : html`<p role="alert" data-variant="danger">${problem}</p>`

/** Renders a radio button with its label next to it. @param detail a second line */
export const radioButton = ({
  name,
  value,
  label,
  detail,
  isSelected,
}: {
  readonly name: string
  readonly value: string
  readonly label: string
  readonly detail?: string | undefined
  readonly isSelected: boolean
}): Markup =>
  html`<label class="choice"><input type="radio" name="${name}" value="${value}"${isSelected ? ' checked' : ''}> <span>${label}${detail === undefined ? '' : html` <small class="quiet">${detail}</small>`}</span></label>
`
