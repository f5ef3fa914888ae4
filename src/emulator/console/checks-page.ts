import { html } from 'hono/html'
import { checkStatuses, checkTypes } from '../../contract/verification/check-data.ts'
import { badge } from '../pages/badge.ts'
import type { Markup } from '../pages/page.ts'
import type { LoggedCheck } from '../state/check-log.ts'
import type { ServiceState } from '../state/service-state.ts'
import { selectField, timesField } from './fields.ts'
import { formatJson, formatText, formatTime } from './format.ts'
import { addressOf, consolePage, recordTable } from './layout.ts'

/** Renders the data of a check, collapsed. */
export const checkDetails = ({ type, data, error }: LoggedCheck): Markup =>
  html`<details><summary>Data of ${type}</summary>${formatJson({ data, error })}</details>`

export function checksPage({ checkLog }: ServiceState): Promise<Response> {
  const rows = checkLog.entries.flatMap(({ at, sessionId, checks }) =>
    checks.map((check) => ({ at, sessionId, check })),
  )
  return consolePage(
    'checks',
    html`<p>Standalone checks only. The page of a hosted session shows the checks of that session.</p>
${recordTable(
  'Standalone checks',
  ['Time', 'Session', 'Check', 'Status', 'Data'],
  rows,
  ({ at, sessionId, check }) => [
    formatTime(at),
    html`<code>${formatText(sessionId)}</code>`,
    formatText(check.type),
    badge(check.status),
    checkDetails(check),
  ],
)}
<h2>Set the result of the next checks</h2>
<form method="post" action="${addressOf('checks', 'outcomes')}">
${selectField('type', 'Check', checkTypes)}
${selectField('status', 'Result', checkStatuses)}
${timesField}
<button class="main">Set the result</button>
</form>
<form method="post" action="${addressOf('checks', 'outcomes', 'clear')}">
<button>Clear all results that were set</button>
</form>`,
  )
}
