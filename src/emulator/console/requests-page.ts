import { html } from 'hono/html'
import type { RecordedRequest } from '../state/request-log.ts'
import type { ServiceState } from '../state/service-state.ts'
import { formatText, formatTime } from './format.ts'
import { addressOf, consolePage, recordTable } from './layout.ts'
import { liveLog } from './live-log.ts'

/** What the log tells of a request: no body, no query, no header. Those hold codes, secrets and people. */
export const toLogEntry = ({
  at,
  method,
  path,
  operation,
  status,
  requestId,
  idempotencyKey,
}: RecordedRequest) => ({
  at,
  method,
  path: path.replace(/\?.*$/s, ''),
  operation: operation ?? '',
  status: status === undefined ? 'no answer' : String(status),
  key: idempotencyKey ?? '',
  requestId,
})

/** The request log, which goes on by itself where scripts run. */
export function requestsPage({ requestLog: journal }: ServiceState): Promise<Response> {
  const headings = ['When', 'Method', 'Path', 'Operation', 'Status', 'Idempotency key', 'Request']
  return consolePage(
    'requests',
    html`<p>Pages of the console are not listed, nor are queries, headers and bodies: programs read them from <code>emulator.requests</code>.</p>
<p id="live" role="status" data-stream="${addressOf('requests', 'stream')}">Load the page again to see what arrived since.</p>
${recordTable('Requests', headings, journal.requests, (request) => {
  const { at, method, path, operation, status, key, requestId } = toLogEntry(request)
  return [
    formatTime(at),
    formatText(method),
    formatText(path),
    formatText(operation),
    status,
    formatText(key),
    html`<code>${requestId}</code>`,
  ]
})}`,
    { script: liveLog },
  )
}
