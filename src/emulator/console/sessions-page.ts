import { html } from 'hono/html'
import { sessionStatuses } from '../../contract/verification/session-status.ts'
import { hostedAddress } from '../model/addresses.ts'
import type { ServiceState } from '../model/service-state.ts'
import {
  type ChangeCause,
  type HistoryEntry,
  type HostedSession,
  isAwaitingUser,
} from '../model/sessions/hosted-session.ts'
import { isOpen, type SessionEnd } from '../model/sessions/sessions.ts'
import { badge, card, factList, type Markup, timeline } from '../pages/design/components.ts'
import { checkDetails, checkName } from './checks-page.ts'
import { formatJson, formatText, formatTime } from './format.ts'
import { addressOf, consolePage, live } from './layout.ts'
import { pageOf, searchable, tableOf } from './record-list.ts'
import { deliveryList } from './webhooks-page.ts'

/** Renders the sessions of each person next to each other, so that a retry or a renewal can be followed. */
export const sessionsPage = (state: ServiceState, url: URL): Promise<Response> =>
  consolePage(
    state,
    'sessions',
    live(
      'sessions',
      searchable(
        state.sessions.all(),
        {
          url,
          empty: {
            icon: 'userCheck',
            title: 'No session yet',
            hint: html`Your app creates one with <code>client.sessions.create()</code>, and sends the person to its address.`,
          },
          search: {
            textOf: ({ id, vendorData = '', workflow }) => [id, vendorData, workflow.name].join('\n'),
            choice: {
              name: 'status',
              label: 'Status',
              options: ['any', ...sessionStatuses],
              accepts: ({ status }, option) => option === 'any' || option === status,
            },
          },
        },
        (matches) => sessionTable(matches, url),
      ),
    ),
    {
      about:
        'Sessions with the same vendor_data belong to one person, and are shown together. The person with the newest session is first.',
    },
  )

function sessionTable(sessions: readonly HostedSession[], url: URL): Markup {
  const people = new Map<unknown, HostedSession[]>()
  // Sessions without a reference belong to nobody, so each is on its own.
  for (const session of sessions) {
    const person = session.vendorData ?? session
    people.set(person, [...(people.get(person) ?? []), session])
  }
  const { page, pager } = pageOf([...people.values()], url)
  const bodies = page.map((ofPerson) => {
    const rows = ofPerson.map(
      (
        session,
        i,
      ) => html`<tr>${i === 0 ? html`<th scope="rowgroup" rowspan="${ofPerson.length}">${formatText(session.vendorData)}</th>` : ''}
<td>${sessionLink(session)}<br>${formatText(session.workflow.name)}</td><td>${badge(session.status)}</td>
<td>${formatTime(session.createdAt)}</td><td>${formatTime(session.expiresAt)}</td></tr>
`,
    )
    return html`<tbody>${rows}</tbody>
`
  })
  const headings = ['Person', 'Session and workflow', 'Status', 'Created', 'Expires']
  return html`<div>${tableOf('Sessions', headings, html`${bodies}`)}${pager}</div>`
}

const sessionLink = ({ id }: HostedSession) =>
  html`<a href="${addressOf('sessions', id)}"><code class="id">${id}</code></a>`

/** Renders one session with its checks, its timeline and its webhooks. */
export function sessionPage(
  state: ServiceState,
  session: HostedSession,
  { url, baseUrl }: { readonly url: URL; readonly baseUrl: string },
): Promise<Response> {
  const deliveries = state.deliveries.records.filter(({ event }) => event.session_id === session.id)
  return consolePage(
    state,
    'sessions',
    html`<div class="columns"><div class="stack">
${live('controls', controls(session, baseUrl))}
${live('checks', card('Checks', checkList(session)))}
${live('webhooks', html`<section class="stack"><h2>Webhooks</h2>${deliveryList('Webhooks of this session', deliveries, url)}</section>`)}
</div><div class="stack">
${live('facts', card('Details', sessionFacts(session)))}
${live('timeline', card('Timeline', timeline(session.history.map(describe))))}
${others(state, session)}
</div></div>`,
    {
      title: 'Session',
      nextToTitle: html`<span data-live="status">${badge(session.status)}</span>`,
      about: html`<code>${session.id}</code>`,
    },
  )
}

const ends: readonly (readonly [status: SessionEnd, label: string])[] = [
  ['APPROVED', 'Approve'],
  ['DECLINED', 'Decline'],
  ['IN_REVIEW', 'Send to review'],
  ['EXPIRED', 'Expire'],
  ['ABANDONED', 'Abandon'],
]

/** Renders the buttons that end a session, and the way to its hosted page. */
function controls(session: HostedSession, baseUrl: string): Markup {
  if (!isOpen(session))
    return html`<p class="quiet">This session has ended. ${session.callback === undefined ? 'It has no callback, so no webhook was sent.' : ''}</p>`
  const buttons = ends.filter(([status]) => status !== session.status)
  const address = hostedAddress(session, baseUrl)
  return card(
    'End this session',
    html`${isAwaitingUser(session) ? html`<p>As the person: <a href="${address}">open the hosted page</a>. Or end it here:</p>` : html`<p>It waits for a review. Decide it:</p>`}
<form class="row" method="post" action="${addressOf('sessions', session.id, 'complete')}">
${buttons.map(([status, label], i) => html`<button name="status" value="${status}"${i === 0 ? '' : html` class="outline"`}>${label}</button> `)}
</form>`,
  )
}

const checkList = ({ checks }: HostedSession) =>
  html`<ul class="list">${checks.map((check) => {
    const [type, status] = [String(check.type), String(check.status)]
    return html`<li><div class="spread"><span>${checkName(type)}</span> ${badge(status)}</div>
${status === 'pending' || status === 'running' ? '' : checkDetails({ ...check, type, status })}</li>
`
  })}</ul>`

const sessionFacts = (session: HostedSession) =>
  factList([
    ['Person', formatText(session.vendorData)],
    ['Workflow', html`${formatText(session.workflow.name)} (<code>${formatText(session.workflow.id)}</code>)`],
    ['Created', formatTime(session.createdAt)],
    ['Expires', formatTime(session.expiresAt)],
    ['Redirect URL', formatText(session.redirectUrl)],
    ['Callback', formatText(session.callback)],
    ['Metadata', session.metadata === undefined ? formatText(undefined) : formatJson(session.metadata)],
  ])

/** Renders links to the other sessions of the person. */
function others({ sessions }: ServiceState, { id, vendorData }: HostedSession): Markup {
  const related = sessions.all().filter((one) => one.vendorData === vendorData && one.id !== id)
  return vendorData === undefined || related.length === 0
    ? html``
    : card(
        'Other sessions of this person',
        html`<ul class="list">${related
          .slice(0, 10)
          .map((one) => html`<li class="spread">${sessionLink(one)} ${badge(one.status)}</li>`)}</ul>`,
      )
}

const causes: Readonly<Record<ChangeCause, string>> = {
  person: 'by the person',
  api: 'by the API',
  review: 'by the review',
  time: 'because its time ran out',
}

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
