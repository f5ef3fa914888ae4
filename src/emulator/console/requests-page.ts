import { html } from 'hono/html'
import { parseJson } from '../../runtime/bytes.ts'
import { type RecordedRequest, withoutSecrets } from '../model/request-log.ts'
import type { ServiceState } from '../model/service-state.ts'
import { badge, card, codeBlock, factList, type Markup } from '../pages/design/components.ts'
import { formatText, formatTime, indented } from './format.ts'
import { addressOf, consolePage, live } from './layout.ts'
import { recordList, tableOf } from './record-list.ts'

/** What a developer looks for among the requests. */
const results: Readonly<Record<string, (status: number) => boolean>> = {
  'any result': () => true,
  succeeded: (status) => status >= 200 && status < 400,
  'failed (4xx)': (status) => status >= 400 && status < 500,
  'failed (5xx)': (status) => status >= 500,
  'no response': (status) => status === 0,
}

/** Renders the request log. */
export const requestsPage = (state: ServiceState, url: URL): Promise<Response> =>
  consolePage(
    state,
    'requests',
    live(
      'requests',
      recordList([...state.requestLog.requests].reverse(), {
        label: 'Requests',
        headings: ['Time', 'Result', 'Request', 'Operation'],
        cells: (request) => [
          formatTime(request.at),
          html`${statusOf(request)} ${codeOf(request)}`,
          requestLink(request),
          operationOf(request),
        ],
        url,
        empty: {
          icon: 'activity',
          title: 'No request yet',
          hint: 'Each request of your app appears here, with its headers, its body and the response.',
        },
        search: {
          textOf: (request) => Object.values(withoutSecrets(request)).map(textIn).join('\n'),
          choice: {
            name: 'result',
            label: 'Result',
            options: Object.keys(results),
            accepts: ({ status = 0 }, option) => results[option]?.(status) === true,
          },
        },
      }),
    ),
    { about: 'Requests to the service, newest first. Credentials and tokens are masked.' },
  )

const textIn = (part: unknown) => (typeof part === 'object' ? JSON.stringify(part) : String(part))

const statusOf = ({ status }: RecordedRequest) => (status === undefined ? 'no response' : badge(String(status)))

const requestLink = ({ requestId, method, path }: RecordedRequest) =>
  html`<a href="${addressOf('requests', requestId)}"><code>${formatText(method)} ${formatText(pathOf(path))}</code></a>`

const operationOf = ({ operation }: RecordedRequest) => html`<code class="id">${formatText(operation)}</code>`

/** Renders requests without a search and without pages, for a place with less space. */
export const requestTable = (requests: readonly RecordedRequest[]): Markup =>
  tableOf(
    'Latest requests',
    ['Time', 'Result', 'Request and operation'],
    html`<tbody>${requests.map(
      (request) =>
        html`<tr><td>${formatTime(request.at, 'time of day')}</td><td>${statusOf(request)}<br>${codeOf(request)}</td><td>${requestLink(request)}${request.operation === undefined ? '' : html`<br>${operationOf(request)}`}</td></tr>
`,
    )}</tbody>`,
  )

const pathOf = (path: string) => path.replace(/\?.*$/s, '')

/** Renders the code of the error that a request got, if any. */
function codeOf({ status = 0, responseBody }: RecordedRequest): Markup | string {
  if (status < 400 || responseBody === undefined) return ''
  const { error } = Object(parseJson(responseBody)) as { readonly error?: unknown }
  const code = typeof error === 'string' ? error : (Object(error) as { readonly code?: unknown }).code
  return typeof code === 'string' ? html`<code>${formatText(code)}</code>` : ''
}

/** Renders one request with its query, headers and body, and its response. Secrets are masked. */
export function requestPage(state: ServiceState, recorded: RecordedRequest): Promise<Response> {
  const request = withoutSecrets(recorded)
  const { requestId, at, method, path, operation, status, idempotencyKey, bytes } = request
  const query = [...new URLSearchParams(path.slice(pathOf(path).length))]
  const charge = state.wallet.ledger.find((entry) => entry.requestId === requestId)
  return consolePage(
    state,
    'requests',
    html`<div class="columns"><div class="stack">
${card(
  'Request',
  html`<p><code>${formatText(method)} ${formatText(pathOf(path))}</code></p>
${query.length === 0 ? '' : html`<h3>Query</h3>${facts(query)}`}
<h3>Headers</h3>${facts(Object.entries(request.headers))}
<h3>Body</h3>${bodyOf(request.body, 'of the request', bytes === 0 ? 'No body.' : `${bytes} bytes, not kept: it is not text, or larger than 64 KiB.`)}`,
)}
${card(
  'Response',
  status === undefined
    ? html`<p class="quiet">No response: the connection was reset, the client ended the request, or it is in progress.</p>`
    : html`<h3>Headers</h3>${facts(Object.entries(request.responseHeaders ?? {}))}
<h3>Body</h3>${bodyOf(request.responseBody, 'of the response', 'Not kept: it is not JSON, larger than 64 KiB, or too long ago.')}`,
)}</div>
${card(
  'Details',
  factList([
    ['Time', formatTime(at)],
    ['Operation', html`<code>${formatText(operation)}</code>`],
    ['Idempotency key', html`<code>${formatText(idempotencyKey)}</code>`],
    [
      'Charged',
      charge === undefined ? 'nothing' : html`${charge.amount} (<a href="${addressOf('ledger')}">ledger</a>)`,
    ],
    ['Error', codeOf(recorded) || formatText(undefined)],
  ]),
)}</div>`,
    {
      title: 'Request',
      nextToTitle: status === undefined ? html`` : badge(String(status)),
      about: html`<code>${requestId}</code>`,
    },
  )
}

const facts = (pairs: readonly (readonly [string, string])[]) =>
  factList(
    pairs.map(([name, value]) => [html`<code>${formatText(name)}</code>`, html`<code>${formatText(value)}</code>`]),
  )

const bodyOf = (body: string | undefined, label: string, otherwise: string) =>
  body === undefined ? html`<p class="quiet">${otherwise}</p>` : codeBlock(label, indented(body))
