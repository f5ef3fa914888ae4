import { html } from 'hono/html'
import { returnParameters } from '../contract/sessions.ts'
import type { Arrival } from './arrival.ts'
import { hostedAddress } from './hosted-address.ts'
import type { ServiceState } from './state/service-state.ts'
import { type HostedSession, isAwaited, type SessionEnd } from './state/sessions.ts'

type Markup = ReturnType<typeof html>

/** What the buttons of the page stand for. */
const ends: ReadonlyMap<string, SessionEnd> = new Map([
  ['approve', 'APPROVED'],
  ['decline', 'DECLINED'],
  ['leave', 'ABANDONED'],
])

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // No form-action: browsers apply it to the redirect after the form too, and that leads anywhere.
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** The page that a person is sent to. Opening it starts the session. */
export async function showHostedPage(state: ServiceState, path: string, arrival: Arrival): Promise<Response> {
  const session = awaited(state, path)
  if (session === undefined) return noPage()
  if (!isAwaited(session)) return page(200, closed(session))
  if (arrival.method === 'GET') state.sessions.start(session.id, {})
  return page(200, choices(session))
}

/** What the person chose. The webhook goes out in the background: nobody waits for it at the page. */
export async function closeHostedPage(
  state: ServiceState,
  path: string,
  arrival: Arrival,
): Promise<Response> {
  const session = awaited(state, path)
  if (session === undefined) return noPage()
  if (!isAwaited(session)) return page(session.status === 'EXPIRED' ? 410 : 409, closed(session))
  const end = ends.get(new URLSearchParams(new TextDecoder().decode(arrival.bytes)).get('choice') ?? '')
  if (end === undefined) return page(400, choices(session))
  void state.sessions.complete(session.id, end, {})
  const location =
    session.redirectUrl === undefined
      ? hostedAddress(session, arrival.url.origin)
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

async function page(status: number, content: Markup): Promise<Response> {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Local emulator: verification</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 36rem; padding: 1rem; color: #111; background: #fff }
[role=note] { border: 3px solid #8a4b00; padding: .5rem 1rem; background: #fff4d6 }
button { font: inherit; padding: .5rem 1rem; margin: 0 .5rem .5rem 0 }
dd { overflow-wrap: anywhere }
</style>
</head>
<body>
<p role="note"><strong>Local emulator.</strong> Nothing is verified here: you choose how the verification ends.</p>
<main>${content}</main>
</body>
</html>
`
  return new Response(String(await document), { status, headers: pageHeaders })
}

const noPage = () => page(404, html`<h1>No such verification</h1><p>The address belongs to no session.</p>`)

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
