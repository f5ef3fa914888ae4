import { html } from 'hono/html'
import { hostedAddress } from '../pages/addresses.ts'
import { badge } from '../pages/badge.ts'
import type { Markup } from '../pages/page.ts'
import type { ServiceState } from '../state/service-state.ts'
import {
  type ChangeCause,
  type HistoryEntry,
  type HostedSession,
  isAwaitingUser,
} from '../state/sessions/hosted-session.ts'
import { checkDetails } from './checks-page.ts'
import { formatJson, formatText, formatTime } from './format.ts'
import { addressOf, consolePage, factList, recordTable } from './layout.ts'
import { deliveryTable } from './webhooks-page.ts'

export function sessionsPage({ sessions }: ServiceState): Promise<Response> {
  const headings = ['Session', 'Status', 'Workflow', 'Reference', 'Created', 'Expires']
  return consolePage(
    'sessions',
    recordTable('Sessions', headings, [...sessions.all()].reverse(), (session) => [
      html`<a href="${addressOf('sessions', session.id)}"><code>${session.id}</code></a>`,
      badge(session.status),
      formatText(session.workflow.name),
      formatText(session.vendorData),
      formatTime(session.createdAt),
      formatTime(session.expiresAt),
    ]),
  )
}

/** Renders one session with its checks, its timeline and its webhooks. */
export function sessionPage(
  { deliveries }: ServiceState,
  session: HostedSession,
  baseUrl: string,
): Promise<Response> {
  const { id, status, workflow, vendorData, metadata, redirectUrl, callback, expiresAt, checks, history } =
    session
  const address = hostedAddress(session, baseUrl)
  return consolePage(
    'sessions',
    html`${factList([
      ['Session', html`<code>${id}</code>`],
      ['Status', badge(status)],
      ['Workflow', html`${formatText(workflow.name)} (<code>${formatText(workflow.id)}</code>)`],
      ['Reference', formatText(vendorData)],
      ['Metadata', metadata === undefined ? formatText(undefined) : formatJson(metadata)],
      ['Redirect URL', formatText(redirectUrl)],
      ['Callback', formatText(callback)],
      ['Expires', formatTime(expiresAt)],
      ...(isAwaitingUser(session)
        ? [['Hosted page', html`<a href="${address}">${address}</a>`] as const]
        : []),
    ])}
<h2>Checks</h2>
<ul>${checks.map(
      (
        check,
      ) => html`<li>${formatText(check.type)} ${badge(String(check.status))} ${checkDetails({ ...check, status: String(check.status) })}</li>
`,
    )}</ul>
<h2>Timeline</h2>
<ol>${history.map(
      (entry) => html`<li>${formatTime(entry.at)} ${describe(entry)}</li>
`,
    )}</ol>
<h2>Webhooks</h2>
${deliveryTable(
  'Webhooks of this session',
  deliveries.records.filter(({ event }) => event.session_id === id),
)}`,
    { title: 'Session' },
  )
}

const causes: Readonly<Record<ChangeCause, string>> = {
  person: 'by the person',
  api: 'by the API',
  review: 'by the review',
  time: 'because its time ran out',
}

function describe(entry: HistoryEntry): Markup {
  switch (entry.event) {
    case 'created':
      return html`created`
    case 'opened':
      return html`the person opened the hosted page`
    case 'check':
      return html`${entry.check}: ${badge(entry.status)}`
    case 'status':
      return html`${badge(entry.status)} ${causes[entry.by]}`
  }
}
