import { html } from 'hono/html'
import { checkControls } from '../controls/table.ts'
import type { LoggedCheck } from '../model/checks/check-log.ts'
import type { ServiceState } from '../model/service-state.ts'
import { isCheckType } from '../model/sessions/hosted-session.ts'
import { checkLabels } from '../pages/check-labels.ts'
import { badge, card, type Markup } from '../pages/design/components.ts'
import { choicesOf, selectField, timesField, timesLeft } from './fields.ts'
import { formatJson, formatText, formatTime } from './format.ts'
import { addressOf, consolePage, live } from './layout.ts'
import { recordList } from './record-list.ts'

/** Renders the data of a check, collapsed. */
export const checkDetails = ({ type, data, error }: LoggedCheck): Markup =>
  html`<details><summary>Data of ${type}</summary>${formatJson({ data, error })}</details>`

/** Renders the name of a check in words, with the name of the contract. */
export const checkName = (type: string): Markup =>
  isCheckType(type) ? html`${checkLabels[type].name} <code class="id quiet">${type}</code>` : formatText(type)

export function checksPage(state: ServiceState, url: URL): Promise<Response> {
  const rows = state.checkLog.entries
    .flatMap(({ at, sessionId, checks }) => checks.map((check) => ({ at, sessionId, check })))
    .reverse()
  return consolePage(
    state,
    'checks',
    html`<div class="columns">${live(
      'checks',
      recordList(rows, {
        label: 'Standalone checks',
        headings: ['Check', 'Status', 'Session and time'],
        url,
        empty: {
          icon: 'checkCircle',
          title: 'No check was performed yet',
          hint: html`Your app performs one with <code>client.checks</code>, without a hosted page.`,
        },
        cells: ({ at, sessionId, check }) => [
          html`${checkName(check.type)}${checkDetails(check)}`,
          badge(check.status),
          html`<code class="id">${formatText(sessionId)}</code><br>${formatTime(at)}`,
        ],
      }),
    )}
<div class="stack">${card(
      'Set the result of the next checks',
      html`<form method="post" action="${addressOf('checks', 'outcomes')}">
${selectField(
  'type',
  'Check',
  choicesOf(checkControls.script, 'type')
    .filter(isCheckType)
    .map((type) => [type, `${checkLabels[type].name} (${type})`]),
)}
${selectField('outcome', 'Result', [...choicesOf(checkControls.script, 'outcome')].reverse())}
${timesField}
<button>Set the result</button>
</form>`,
    )}${live('outcomes', card('Results that are set', outcomes(state)))}</div></div>`,
    { about: 'Standalone checks only. The page of a hosted session shows the checks of that session.' },
  )
}

function outcomes({ outcomes: { pending } }: ServiceState): Markup {
  if (pending.length === 0) return html`<p class="quiet">None. Checks pass, or follow from what your app sends.</p>`
  return html`<ul class="list">${pending.map(
    ({ type, outcome, left }) =>
      html`<li class="spread">${checkName(type)} <span>${badge(typeof outcome === 'string' ? outcome : (outcome.status ?? 'passed'))} ${timesLeft(left)}</span></li>
`,
  )}</ul>
<form method="post" action="${addressOf('checks', 'outcomes', 'clear')}"><button class="outline">Clear all results that were set</button></form>`
}
