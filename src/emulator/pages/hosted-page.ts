import { html } from 'hono/html'
import { returnParameters } from '../../contract/sessions.ts'
import type { Arrival } from '../arrival.ts'
import { hostedAddress } from '../hosted-address.ts'
import type { ServiceState } from '../state/service-state.ts'
import { type HostedSession, isAwaited, type SessionEnd } from '../state/sessions.ts'
import { page, pageHeaders } from './page.ts'

/** What the buttons of the page stand for. */
const ends: ReadonlyMap<string, SessionEnd> = new Map([
  ['approve', 'APPROVED'],
  ['decline', 'DECLINED'],
  ['leave', 'ABANDONED'],
])

const subject = {
  title: 'verification',
  note: 'You choose how the verification ends.',
}

/** The page that a person is sent to. Opening it starts the session. */
export async function showHostedPage(state: ServiceState, path: string, arrival: Arrival): Promise<Response> {
  const session = awaited(state, path)
  if (session === undefined) return noPage()
  if (!isAwaited(session)) return page(200, subject, closed(session))
  if (arrival.method === 'GET') state.sessions.start(session.id, {})
  return page(200, subject, choices(session))
}

/** What the person chose. The webhook goes out in the background: nobody waits for it at the page. */
export async function closeHostedPage(
  state: ServiceState,
  path: string,
  arrival: Arrival,
): Promise<Response> {
  const session = awaited(state, path)
  if (session === undefined) return noPage()
  if (!isAwaited(session)) return page(session.status === 'EXPIRED' ? 410 : 409, subject, closed(session))
  const end = ends.get(new URLSearchParams(new TextDecoder().decode(arrival.bytes)).get('choice') ?? '')
  if (end === undefined) return page(400, subject, choices(session))
  void state.sessions.complete(session.id, end, {})
  const location =
    session.redirectUrl === undefined
      ? hostedAddress(session, arrival.baseUrl)
      : returnAddress(session.redirectUrl, session)
  return new Response(null, { status: 303, headers: { ...pageHeaders, location } })
}

function awaited({ sessions }: ServiceState, path: string): HostedSession | undefined {
  void sessions.expireDue()
  return sessions.findByPath(path)
}

/** `redirect_url` with the id and the status behind whatever query it has (contract, section 2.2). */
function returnAddress(redirectUrl: string, { id, status }: HostedSession): string {
  const url = new URL(redirectUrl)
  const added = `${returnParameters.sessionId}=${id}&${returnParameters.status}=${status}`
  // As text: URLSearchParams would spell the query that is there in its own way.
  url.search = url.search === '' ? added : `${url.search.slice(1)}&${added}`
  return url.href
}

const noPage = () =>
  page(404, subject, html`<h1>No such verification</h1><p>The address belongs to no session.</p>`)

const closed = ({ status }: HostedSession) =>
  html`<h1>This verification is closed</h1><p>It ended as ${status}. You may close this window.</p>`

const choices = ({ workflow, vendorData, redirectUrl }: HostedSession) => html`<h1>${workflow.name}</h1>
<dl>
<dt>Checks</dt><dd>${workflow.features.join(', ')}</dd>
<dt>Reference</dt><dd>${vendorData ?? 'none'}</dd>
<dt>Afterwards you return to</dt><dd>${redirectUrl ?? 'this page'}</dd>
</dl>
<form method="post">
<fieldset><legend>How does it end?</legend>
<button name="choice" value="approve">Approve</button>
<button name="choice" value="decline">Decline</button>
<button name="choice" value="leave">Leave without finishing</button>
</fieldset>
</form>`
