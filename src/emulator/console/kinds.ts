import { html } from 'hono/html'
import { documentedCodes } from '../../contract/documented-codes.ts'
import type { Member } from '../../contract/organization/member-results.ts'
import { accessTokenSeconds } from '../../contract/sign-in/oidc.ts'
import { sessionStatuses } from '../../contract/verification/session-status.ts'
import { eventIdHeader, signatureHeader, timestampHeader } from '../../contract/webhooks/headers.ts'
import { parseJson } from '../../runtime/bytes.ts'
import { checkControls, faultControls, sessionControls, signInControls, webhookControls } from '../controls/table.ts'
import { hostedAddress } from '../model/addresses.ts'
import { describeMatch, readMatch } from '../model/faults/fault-match.ts'
import { type RecordedRequest, withoutSecrets } from '../model/request-log.ts'
import { maskBody } from '../model/secrets.ts'
import { type HistoryEntry, type HostedSession, isAwaitingUser, isCheckType } from '../model/sessions/hosted-session.ts'
import { isOpen, type SessionEnd } from '../model/sessions/sessions.ts'
import type { Delivery } from '../model/webhooks/deliveries.ts'
import type { DeliveryAttempt } from '../model/webhooks/delivery-attempt.ts'
import { badge, codeBlock, factList, type Markup, timeline } from '../pages/design/components.ts'
import { checkNames } from '../pages/hosted-page.ts'
import { addressOf, formatCode, formatJson, formatText, formatTime, indented, linkTo } from './format.ts'
import { type Kind, kind, tableOf } from './kind.ts'

const newestFirst = <Row>(rows: readonly Row[]): readonly Row[] => [...rows].reverse()

/** Counts some of the records. Says nothing about none. */
const count = <Row>(rows: readonly Row[], what: string, isCounted: (row: Row) => boolean) =>
  `${rows.filter(isCounted).length} ${what}`.replace(/^0 .*/, '')

const textIn = (part: unknown) => (typeof part === 'object' ? JSON.stringify(part) : String(part))

/** Describes how many times something will still happen. */
const timesLeft = (left: number) =>
  left === Number.POSITIVE_INFINITY ? 'until removed' : left === 1 ? 'once' : `${left} times`

const ends: readonly (readonly [status: SessionEnd, title: string])[] = [
  ['APPROVED', 'Approve'],
  ['DECLINED', 'Decline'],
  ['IN_REVIEW', 'Send to review'],
  ['EXPIRED', 'Expire'],
  ['ABANDONED', 'Abandon'],
]

/** Puts the sessions of a person next to each other, so that a retry or a renewal can be followed. */
function byPerson(sessions: readonly HostedSession[]): readonly HostedSession[] {
  const people = new Map<unknown, HostedSession[]>()
  // Sessions without a reference belong to nobody, so each is on its own.
  for (const session of sessions) {
    const person = session.vendorData ?? session
    const group = people.get(person)
    if (group) group.push(session)
    else people.set(person, [session])
  }
  return [...people.values()].flat()
}

const sessions = kind({
  title: 'Sessions',
  icon: 'userCheck',
  about: () =>
    'Sessions with the same vendor_data belong to one person, and are shown together. The person with the newest session is first.',
  records: ({ state }) => byPerson(state.sessions.all()),
  detail: (rows) => count(rows, 'in review', ({ status }) => status === 'IN_REVIEW'),
  empty: [
    'No session yet',
    html`Your app creates one with <code>client.sessions.create()</code>, and sends the person to its address.`,
  ],
  cells: ({ id, vendorData, workflow, status, createdAt, expiresAt }) => ({
    Person: formatCode(vendorData),
    'Session and workflow': html`${linkTo('sessions', id)}<br>${formatText(workflow.name)}`,
    Status: badge(status),
    Created: formatTime(createdAt),
    Expires: formatTime(expiresAt),
  }),
  textOf: ({ id, vendorData = '', workflow }) => [id, vendorData, workflow.name].join('\n'),
  filter: { label: 'Status', choices: sessionStatuses, accepts: ({ status }, choice) => status === choice },
  record: {
    title: 'Session',
    idOf: ({ id }) => id,
    statusOf: ({ status }) => status,
    actions: (session) =>
      ends
        .filter(([status]) => isOpen(session) && status !== session.status)
        .map(([status, title]) => ({
          control: sessionControls.complete,
          title,
          preset: { status },
          ...(status === 'APPROVED' ? {} : { variant: 'outline' as const }),
        })),
    facts: (session, { baseUrl }) => [
      ['Person', formatText(session.vendorData)],
      ['Workflow', html`${formatText(session.workflow.name)} (${formatCode(session.workflow.id)})`],
      ...(isAwaitingUser(session)
        ? [['Hosted page', html`<a href="${hostedAddress(session, baseUrl)}">open as the person</a>`] as const]
        : []),
      ['Created', formatTime(session.createdAt)],
      ['Expires', formatTime(session.expiresAt)],
      ['Redirect URL', formatText(session.redirectUrl)],
      ['Callback', formatText(session.callback)],
      ['Metadata', session.metadata === undefined ? formatText(undefined) : formatJson(session.metadata)],
    ],
    cards: (session, view) => ({
      Checks: html`<ul class="list">${session.checks.map((check) => {
        const [type, status] = [String(check.type), String(check.status)]
        return html`<li><div class="spread"><span>${checkName(type)}</span> ${badge(status)}</div>
${status === 'pending' || status === 'running' ? '' : checkDetails({ ...check, type, status })}</li>
`
      })}</ul>`,
      Timeline: timeline(session.history.map(describe)),
      Webhooks: tableOf(
        'Webhooks of this session',
        webhooks,
        webhooks.records(view.emulator).filter(({ event }) => event.session_id === session.id),
        view,
      ),
    }),
  },
})

const causes = { person: 'by the person', api: 'by the API', review: 'by the review', time: 'because its time ran out' }

function describe(entry: HistoryEntry): { at: Markup; text: Markup | string; status?: string } {
  const at = formatTime(entry.at)
  switch (entry.event) {
    case 'created':
      return { at, text: 'created' }
    case 'opened':
      return { at, text: 'the person opened the hosted page' }
    case 'check':
      return { at, text: html`${entry.check}: ${badge(entry.status)}`, status: entry.status }
    case 'status':
      return { at, text: html`${badge(entry.status)} ${causes[entry.by]}`, status: entry.status }
  }
}

/** Renders the name of a check in words, with the name of the contract. */
const checkName = (type: string): Markup =>
  isCheckType(type) ? html`${checkNames[type]} <code class="id quiet">${type}</code>` : formatText(type)

interface ShownCheck {
  readonly type: string
  readonly status: string
  readonly data?: unknown
  readonly error?: unknown
}

/** Renders the data of a check, collapsed. */
const checkDetails = ({ type, data, error }: ShownCheck): Markup =>
  html`<details><summary>Data of ${type}</summary>${formatJson({ data, error })}</details>`

/** Returns the checks in the response to a standalone check, or to the combined one. */
function checksIn({ at, operation = '', status, responseBody = '' }: RecordedRequest) {
  if (!operation.startsWith('checks.') || status !== 200) return []
  const { data } = Object(parseJson(responseBody)) as {
    readonly data?: { check?: ShownCheck; checks?: ShownCheck[]; session_id: string }
  }
  return [data?.checks ?? data?.check ?? []].flat().map((check) => ({ at, check, sessionId: data?.session_id }))
}

const checks = kind({
  title: 'Checks',
  icon: 'checkCircle',
  about: () => 'The latest standalone checks. The page of a hosted session shows the checks of that session.',
  records: ({ state }) => newestFirst(state.requestLog.requests.flatMap(checksIn)),
  empty: [
    'No check was performed yet',
    html`Your app performs one with <code>client.checks</code>, without a hosted page.`,
  ],
  cells: ({ at, sessionId, check }) => ({
    Check: html`${checkName(check.type)}${checkDetails(check)}`,
    Status: badge(check.status),
    'Session and time': html`<code class="id">${formatText(sessionId)}</code><br>${formatTime(at)}`,
  }),
  actions: () => [{ control: checkControls.script, title: 'Set the next results' }],
  pending: {
    title: 'Results that are set',
    items: ({ state }) =>
      state.outcomes.pending.map(({ type, outcome, left }) => {
        const { status = 'passed' } = typeof outcome === 'string' ? { status: outcome } : outcome
        return html`${checkName(type)} ${badge(status)} ${timesLeft(left)}`
      }),
    clear: { control: checkControls.clear, title: 'Clear all results', variant: 'outline' },
  },
})

/** Returns the status of a delivery in words. */
function statusOf({ attempts, delivered, retryAt }: Delivery): string {
  if (attempts.length === 0) return 'held back'
  if (delivered) return 'delivered'
  return retryAt === undefined ? 'failed' : 'retrying'
}

function attemptsOf({ attempts: { length }, retryAt }: Delivery): Markup {
  const attempts = length === 1 ? '1 attempt' : `${length} attempts`
  return retryAt === undefined ? html`${attempts}` : html`${attempts}, again at ${formatTime(retryAt, 'time of day')}`
}

const webhooks: Kind<Delivery> = {
  title: 'Webhooks',
  icon: 'send',
  about: () => 'Each event with its attempts. Open one to see what was signed and sent, and to send it again.',
  records: ({ state }) => newestFirst(state.deliveries.records),
  detail: (rows) => count(rows, 'not delivered', ({ delivered }) => !delivered),
  empty: [
    'No webhook yet',
    html`The emulator sends one when a session with a <code>callback</code> ends, or is in review.`,
  ],
  cells: (delivery) => ({
    Event: html`${formatText(delivery.event.type)}<br>${linkTo('webhooks', delivery.id)}`,
    Status: html`${badge(statusOf(delivery))}<br><small class="quiet">${attemptsOf(delivery)}</small>`,
    Destination: formatCode(delivery.url),
  }),
  actions: () => [
    { control: webhookControls.sendTest, title: 'Send a test event', variant: 'outline' },
    { control: webhookControls.addFault, title: 'Simulate a delivery fault' },
  ],
  pending: {
    title: 'Active faults',
    items: ({ state }) =>
      state.deliveries.faults.pending.map(
        ({ fault: { kind, type = 'any type' }, left }) => html`${kind}, ${type}, ${timesLeft(left)}`,
      ),
    clear: { control: webhookControls.clearFaults, title: 'Remove all', variant: 'outline' },
  },
  record: {
    title: 'Webhook delivery',
    idOf: ({ id }) => id,
    statusOf,
    actions: () => [{ control: webhookControls.resend, title: 'Resend' }],
    facts: ({ event, url, retryAt }) => [
      ['Type', formatText(event.type)],
      // The session of a test event does not exist.
      ['Session', event.test === true ? formatCode(event.session_id) : linkTo('sessions', event.session_id)],
      ['Destination', formatText(url)],
      ['Next attempt', retryAt === undefined ? formatText(retryAt) : formatTime(retryAt)],
    ],
    cards: ({ attempts }) =>
      attempts.length === 0
        ? { Attempts: html`<p class="quiet">It was not sent: a fault holds it back.</p>` }
        : Object.fromEntries(attempts.map((attempt, i) => [`Attempt ${i + 1}`, attemptCard(attempt)])),
  },
}

const pairs = (values: Readonly<Record<string, string | undefined>>) =>
  factList(Object.entries(values).map(([name, value]) => [formatCode(name), formatCode(value)]))

function attemptCard({ at, request, fault, status, responseBody, error }: DeliveryAttempt): Markup {
  const {
    [timestampHeader]: timestamp,
    [eventIdHeader]: id,
    [signatureHeader]: signature,
    ...headers
  } = request.headers
  return html`<p>${formatTime(at)} ${status === undefined ? '' : badge(String(status))}</p>
${fault === undefined ? '' : html`<p class="quiet">Simulated fault: ${fault}</p>`}
<h3>Signature</h3>
${pairs({ [timestampHeader]: timestamp, [eventIdHeader]: id, [signatureHeader]: signature })}
<p class="quiet">HMAC-SHA256 of the timestamp, a dot and the body below. The key is the webhook secret.</p>
<h3>Request</h3>
${pairs(headers)}
${codeBlock('the body of the request', maskBody(request.body))}
<h3>Response</h3>
<pre>${maskBody(responseBody ?? (status === undefined ? (error ?? 'no response yet') : '(empty body)'))}</pre>`
}

const nameOf = ({ first_name, last_name }: Member) => [first_name, last_name].filter(Boolean).join(' ')

const members = kind({
  title: 'Members',
  icon: 'users',
  about: ({ state: { settings } }) =>
    html`Organization: ${formatText(settings.org.name)}. The emulator sends no email, so open activation links here.`,
  records: ({ state: { roster } }) => newestFirst(roster.all()),
  detail: (rows) => count(rows, 'active', ({ active }) => active),
  empty: [
    'Nobody is on the roster yet',
    html`Your app adds people with <code>org.members.add()</code>, or the option <code>members</code> does.`,
  ],
  cells: (member, { state, baseUrl }) => {
    const { email, role, status, member_id, svc_id, created_at } = member
    const link = state.roster.activationLink(member_id, baseUrl)
    return {
      Member: html`${formatText(nameOf(member))}<br>${formatCode(email)}`,
      Role: formatText(role),
      Status: html`${badge(status)}${link === null ? '' : html`<br><a href="${link}">Activate<span class="out-of-sight"> ${email}</span></a>`}`,
      'Member ID and identity': html`<code class="id">${member_id}</code>${svc_id === null ? '' : html`<br>${formatCode(svc_id)}`}`,
      Created: formatTime(created_at),
    }
  },
  textOf: (member) => [nameOf(member), member.email, member.role, member.status, member.member_id].join('\n'),
})

const tokens = kind({
  title: 'Tokens',
  icon: 'key',
  about: () => 'Who signed in, to which client, and whether the refresh token can still be used.',
  records: ({ state }) => newestFirst(state.signIns.issued()),
  empty: [
    'Nobody has signed in yet',
    'Each sign-in and each token refresh of your app adds a line. Tokens themselves are never shown.',
  ],
  cells: ({ issuedAt, status, login: { user, clientId, scopes } }) => ({
    'Person and sub': html`${formatText(user.name ?? user.email)}<br>${formatCode(user.sub)}`,
    'Client and scope': html`${formatCode(clientId)}<br>${formatCode(scopes.join(' '))}`,
    'Issued, expires': html`${formatTime(issuedAt)}<br>${formatTime(new Date(issuedAt.getTime() + accessTokenSeconds * 1000))}`,
    'Refresh token': badge(status),
  }),
  actions: () => [{ control: signInControls.rotateKeys, title: 'Rotate the signing key', variant: 'outline' }],
})

const ledger = kind({
  title: 'Ledger',
  icon: 'creditCard',
  about: ({ state: { wallet } }) =>
    html`Balance: ${wallet.balance}. The service does not document a price. The emulator charges its option <code>wallet.pricePerCall</code> for each billable call.`,
  records: ({ state }) => newestFirst(state.wallet.ledger),
  detail: (_, { state }) => `balance ${state.wallet.balance}`,
  empty: ['Nothing was charged yet', 'Each billable call of your app adds a line, with its idempotency key.'],
  cells: ({ at, operation, requestId, idempotencyKey, amount, balance }) => ({
    Time: formatTime(at),
    'Operation and request': html`<code class="id">${operation}</code><br>${linkTo('requests', requestId)}`,
    'Idempotency key': formatCode(idempotencyKey),
    Amount: String(amount),
    Balance: String(balance),
  }),
})

/** What a developer looks for among the requests. */
const results: Readonly<Record<string, (status: number) => boolean>> = {
  succeeded: (status) => status >= 200 && status < 400,
  'failed (4xx)': (status) => status >= 400 && status < 500,
  'failed (5xx)': (status) => status >= 500,
  'no response': (status) => status === 0,
}

const pathOf = (path: string) => path.replace(/\?.*$/s, '')

const routeOf = ({ method, path }: RecordedRequest) =>
  html`<code>${formatText(method)} ${formatText(pathOf(path))}</code>`

/** Renders the code of the error that a request got, if any. */
function codeOf({ status = 0, responseBody }: RecordedRequest): Markup | string {
  if (status < 400 || responseBody === undefined) return ''
  const { error } = Object(parseJson(responseBody)) as { readonly error?: unknown }
  const code = typeof error === 'string' ? error : (Object(error) as { readonly code?: unknown }).code
  return typeof code === 'string' ? formatCode(code) : ''
}

const bodyOf = (body: string | undefined, label: string, otherwise: string) =>
  body === undefined ? html`<p class="quiet">${otherwise}</p>` : codeBlock(label, indented(body))

const requests = kind({
  title: 'Requests',
  icon: 'activity',
  about: () => 'Requests to the service, newest first. Credentials and tokens are masked.',
  records: ({ state }) => newestFirst<RecordedRequest>(state.requestLog.requests),
  detail: (rows) => count(rows, 'failed', ({ status = 0 }) => status >= 400),
  empty: ['No request yet', 'Each request of your app appears here, with its headers, its body and the response.'],
  cells: (request) => ({
    'Request and operation': html`<a href="${addressOf('requests', request.requestId)}">${routeOf(request)}</a><br>${formatCode(request.operation)}`,
    Result: html`${request.status === undefined ? 'no response' : badge(String(request.status))} ${codeOf(request)}`,
    Time: formatTime(request.at),
  }),
  textOf: (request) => Object.values(withoutSecrets(request)).map(textIn).join('\n'),
  filter: {
    label: 'Result',
    choices: Object.keys(results),
    accepts: ({ status = 0 }, choice) => results[choice]?.(status) === true,
  },
  record: {
    title: 'Request',
    idOf: ({ requestId }) => requestId,
    statusOf: ({ status }) => status?.toString(),
    facts: (request, { state }) => {
      const charge = state.wallet.ledger.find(({ requestId }) => requestId === request.requestId)
      return [
        ['Time', formatTime(request.at)],
        ['Operation', formatCode(request.operation)],
        ['Idempotency key', formatCode(request.idempotencyKey)],
        [
          'Charged',
          charge === undefined ? 'nothing' : html`${charge.amount} (<a href="${addressOf('ledger')}">ledger</a>)`,
        ],
        ['Error', codeOf(request) || formatText(undefined)],
      ]
    },
    cards: (recorded) => {
      const request = withoutSecrets(recorded)
      const query = Object.fromEntries(new URLSearchParams(request.path.slice(pathOf(request.path).length)))
      const noBody =
        request.bytes === 0 ? 'No body.' : `${request.bytes} bytes, not kept: it is not text, or larger than 64 KiB.`
      return {
        Request: html`<p>${routeOf(request)}</p>
${Object.keys(query).length === 0 ? '' : html`<h3>Query</h3>${pairs(query)}`}
<h3>Headers</h3>${pairs(request.headers)}
<h3>Body</h3>${bodyOf(request.body, 'of the request', noBody)}`,
        Response:
          request.status === undefined
            ? html`<p class="quiet">No response: the connection was reset, the client ended the request, or it is in progress.</p>`
            : html`<h3>Headers</h3>${pairs(request.responseHeaders ?? {})}
<h3>Body</h3>${bodyOf(request.responseBody, 'of the response', 'Not kept: it is not JSON, larger than 64 KiB, or too long ago.')}`,
      }
    },
  },
})

const timings = { before: 'before the operation runs', after: 'after the operation ran and was charged' }

const faults = kind({
  title: 'Faults',
  icon: 'zap',
  about: () =>
    'A fault changes what the next requests of your app get: an error, a delay, or no response. Faults of webhooks are on the page Webhooks.',
  records: ({ state }) => state.faults.pending,
  empty: ['No fault is active', 'All requests get the response of the service.'],
  cells: ({ fault: { match, when = 'before', delayMs, reset, malformed, status, code }, left }) => {
    const effects = [
      delayMs === undefined ? undefined : `delay of ${delayMs} ms`,
      reset === true ? 'connection reset' : undefined,
      malformed === undefined ? undefined : `malformed: ${malformed === true ? 'not_json' : malformed}`,
      status?.toString(),
      code,
    ]
    return {
      Operation: formatCode(describeMatch(readMatch(match)) || 'any operation'),
      Effect: formatText(effects.filter(Boolean).join(' ')),
      When: timings[when],
      'How often': timesLeft(left),
    }
  },
  actions: ({ served }) => [
    {
      control: faultControls.add,
      title: 'Add a fault',
      suggestions: {
        match: served.map(({ operation }) => operation),
        code: [...new Set<string>(served.flatMap(documentedCodes))].sort(),
      },
    },
    { control: faultControls.clear, title: 'Remove all faults', variant: 'outline' },
  ],
})

/** The kinds of records in the order of the navigation, by the path of their page below the console. */
export const kinds: Readonly<Record<string, Kind>> = {
  sessions,
  checks,
  webhooks: kind(webhooks),
  members,
  tokens,
  ledger,
  requests,
  faults,
}
