import { html } from 'hono/html'
import type { RecordedRequest } from '../state/request-log.ts'
import type { ServiceState } from '../state/service-state.ts'
import { formatText, formatTime } from './format.ts'
import { addressOf, consolePage, recordTable } from './layout.ts'

/**
 * Returns what the console shows of a request. It leaves out the query, headers and body, because they contain secrets
 * and personal data.
 */
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
  status: status === undefined ? 'no response' : String(status),
  key: idempotencyKey ?? '',
  requestId,
})

/** Renders the request log. It updates itself if the browser runs scripts. */
export function requestsPage({ requestLog }: ServiceState): Promise<Response> {
  const headings = ['When', 'Method', 'Path', 'Operation', 'Status', 'Idempotency key', 'Request']
  return consolePage(
    'requests',
    html`<p>Requests to the service, without queries, headers and bodies. Your code can read those from <code>emulator.requests</code>.</p>
<p id="live" role="status" data-stream="${addressOf('requests', 'stream')}">Reload the page to see new requests.</p>
${recordTable('Requests', headings, requestLog.requests, (request) => {
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

/** Runs in the browser: adds each request to the top of the table. Values are set as text, never as markup. */
const liveLog = `
const live = document.getElementById('live')
const stream = new EventSource(live.dataset.stream)
let isReloading = false
stream.onopen = () => { live.textContent = 'Live: new requests appear here.' }
stream.onerror = () => { live.textContent = 'The emulator is not reachable. Reconnecting.' }
stream.onmessage = ({ data }) => {
  const rows = document.querySelector('tbody')
  if (rows === null) {
    // The page has no table until there is a first request.
    if (!isReloading) location.reload()
    isReloading = true
    return
  }
  const { at, method, path, operation, status, key, requestId } = JSON.parse(data)
  const row = rows.insertRow(0)
  for (const text of [at.slice(0, 19).replace('T', ' '), method, path, operation || 'none', status, key || 'none', requestId])
    row.insertCell().textContent = text
  while (rows.rows.length > 200) rows.deleteRow(-1)
}
`
