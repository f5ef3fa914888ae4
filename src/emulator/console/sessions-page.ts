import { html } from 'hono/html'
import { hostedAddress } from '../pages/addresses.ts'
import { badge } from '../pages/badge.ts'
import type { Markup } from '../pages/page.ts'
import type { ServiceState } from '../state/service-state.ts'
import type { ChangeCause, HistoryEntry } from '../state/sessions/hosted-session.ts'
import { type HostedSession, isAwaitingUser } from '../state/sessions/hosted-session.ts'
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

/** One session: what it is, how its checks went, and what happened when. */
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
      (happened) => html`<li>${formatTime(happened.at)} ${inWords(happened)}</li>
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
  review: 'by a review',
  time: 'since its time was up',
}

function inWords(happened: HistoryEntry): Markup {
  switch (happened.event) {
    case 'created':
      return html`created`
    case 'opened':
      return html`the person opened the hosted page`
    case 'check':
      return html`${happened.check}: ${badge(happened.status)}`
    case 'status':
      return html`${badge(happened.status)} ${causes[happened.by]}`
  }
}
