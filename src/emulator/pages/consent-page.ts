import { html } from 'hono/html'
import { callbackParameters } from '../../contract/oidc.ts'
import type { Arrival } from '../arrival.ts'
import { callbackAddress, readAuthorization } from '../authorization.ts'
import { Refusal } from '../refusal.ts'
import type { EmulatorUser } from '../sign-in-options.ts'
import type { ServiceState } from '../state/service-state.ts'
import type { AuthorizationRequest } from '../state/sign-ins.ts'
import { page, pageHeaders } from './page.ts'

const subject = { title: 'sign in', note: 'Nobody is asked who they are: you choose who signs in.' }

/** The person agrees. @returns where their browser goes */
export function approved(
  { signIns }: ServiceState,
  request: AuthorizationRequest,
  user: EmulatorUser,
): string {
  const code = signIns.issueCode(request, user)
  return callbackAddress(request.redirectUri, {
    [callbackParameters.code]: code,
    [callbackParameters.state]: request.state,
  })
}

/** The person declines. @returns where their browser goes */
export const denied = ({ redirectUri, state }: AuthorizationRequest): string =>
  callbackAddress(redirectUri, {
    [callbackParameters.error]: 'access_denied',
    [callbackParameters.errorDescription]: 'the user declined',
    [callbackParameters.state]: state,
  })

/** The consent page, and what the person chose there. */
export async function answerAuthorization(state: ServiceState, arrival: Arrival): Promise<Response> {
  const { settings } = state
  let request: ReturnType<typeof readAuthorization>
  try {
    request = readAuthorization(settings.oidc, arrival.url.searchParams)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { status, code, message } = error.facts
    return page(
      status,
      subject,
      html`<h1>You cannot sign in here</h1><p><code>${code}</code>: ${message}</p>`,
    )
  }
  if ('location' in request) return sendTo(request.location, 302)
  if (arrival.method !== 'POST') return page(200, subject, consent(request, settings.users))

  const form = new URLSearchParams(new TextDecoder().decode(arrival.bytes))
  const user = settings.users.find(({ sub }) => sub === form.get('user')) ?? settings.users[0]
  const choice = form.get('choice')
  // 303: what follows the form is a GET, whatever the browser sent.
  if (choice === 'approve' && user) return sendTo(approved(state, request, user), 303)
  if (choice === 'deny') return sendTo(denied(request), 303)
  return page(400, subject, consent(request, settings.users))
}

const sendTo = (location: string, status: 302 | 303) =>
  new Response(null, { status, headers: { ...pageHeaders, location } })

function consent({ clientId, scopes, redirectUri }: AuthorizationRequest, users: readonly EmulatorUser[]) {
  const choices = users.map(
    ({ sub, name, email }, i) =>
      html`<label><input type="radio" name="user" value="${sub}"${i === 0 ? ' checked' : ''}> ${name ?? email ?? sub}</label>
`,
  )
  return html`<h1>Sign in to ${clientId}</h1>
<dl>
<dt>It asks for</dt><dd>${scopes.join(', ')}</dd>
<dt>Afterwards you return to</dt><dd>${redirectUri}</dd>
</dl>
<form method="post">
<fieldset><legend>Who are you?</legend>
${choices}</fieldset>
<p>
<button name="choice" value="approve">Agree and sign in</button>
<button name="choice" value="deny">Decline</button>
</p>
</form>`
}
