import { html } from 'hono/html'
import { checkStatuses, checkTypes } from '../../contract/verification/check-data.ts'
import { badge } from '../pages/badge.ts'
import type { Markup } from '../pages/page.ts'
import type { LoggedCheck } from '../state/check-log.ts'
import type { ServiceState } from '../state/service-state.ts'
import { selectField, timesField } from './fields.ts'
import { formatJson, formatText, formatTime } from './format.ts'
import { addressOf, consolePage, recordTable } from './layout.ts'

/** The data of a check, folded. */
export const checkDetails = ({ type, data, error }: LoggedCheck): Markup =>
  html`<details><summary>Data of ${type}</summary>${formatJson({ data, error })}</details>`

export function checksPage({ checkLog }: ServiceState): Promise<Response> {
  const rows = checkLog.entries.flatMap(({ at, sessionId, checks }) =>
    checks.map((check) => ({ at, sessionId, check })),
  )
  return consolePage(
    'checks',
    html`<p>Standalone checks. Those of a hosted session are on the page of the session.</p>
${recordTable(
  'Standalone checks',
  ['When', 'Session', 'Check', 'Status', 'Data'],
  rows,
  ({ at, sessionId, check }) => [
    formatTime(at),
    html`<code>${formatText(sessionId)}</code>`,
    formatText(check.type),
    badge(check.status),
    checkDetails(check),
  ],
)}
<h2>Make checks end in a certain way</h2>
<form method="post" action="${addressOf('checks', 'outcomes')}">
${selectField('type', 'Check', checkTypes)}
${selectField('status', 'Ends as', checkStatuses)}
${timesField}
<button class="main">Set the outcome</button>
</form>
<form method="post" action="${addressOf('checks', 'outcomes', 'clear')}">
<button>Forget all outcomes that were set</button>
</form>`,
  )
}
