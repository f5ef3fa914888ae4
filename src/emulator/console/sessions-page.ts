import { html } from 'hono/html'
import { badge } from '../pages/badge.ts'
import { hostedAddress } from '../pages/hosted-address.ts'
import type { Markup } from '../pages/page.ts'
import type { ServiceState } from '../state/service-state.ts'
import { type HostedSession, isAwaited } from '../state/sessions/hosted-session.ts'
import type { Cause, SessionMoment } from '../state/sessions/session-history.ts'
import { checkDetails } from './checks-page.ts'
import { moment, shown, shownJson } from './format.ts'
import { addressOf, consolePage, facts, recordTable } from './layout.ts'
import { deliveryTable } from './webhooks-page.ts'

export function sessionsPage({ sessions }: ServiceState): Promise<Response> {
  const headings = ['Session', 'Status', 'Workflow', 'Reference', 'Created', 'Expires']
  return consolePage(
    'sessions',
    recordTable('Sessions', headings, [...sessions.all()].reverse(), (session) => [
      html`<a href="${addressOf('sessions', session.id)}"><code>${session.id}</code></a>`,
      badge(session.status),
      shown(session.workflow.name),
      shown(session.vendorData),
      moment(session.createdAt),
      moment(session.expiresAt),
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
    html`${facts([
      ['Session', html`<code>${id}</code>`],
      ['Status', badge(status)],
      ['Workflow', html`${shown(workflow.name)} (<code>${shown(workflow.id)}</code>)`],
      ['Reference', shown(vendorData)],
      ['Metadata', metadata === undefined ? shown(undefined) : shownJson(metadata)],
      ['Redirect URL', shown(redirectUrl)],
      ['Callback', shown(callback)],
      ['Expires', moment(expiresAt)],
      ...(isAwaited(session) ? [['Hosted page', html`<a href="${address}">${address}</a>`] as const] : []),
    ])}
<h2>Checks</h2>
<ul>${checks.map(
      (
        check,
      ) => html`<li>${shown(check.type)} ${badge(String(check.status))} ${checkDetails({ ...check, status: String(check.status) })}</li>
`,
    )}</ul>
<h2>Timeline</h2>
<ol>${history.map(
      (happened) => html`<li>${moment(happened.at)} ${inWords(happened)}</li>
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

const causes: Readonly<Record<Cause, string>> = {
  person: 'by the person',
  api: 'by the API',
  review: 'by a review',
  time: 'since its time was up',
}

function inWords(happened: SessionMoment): Markup {
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
