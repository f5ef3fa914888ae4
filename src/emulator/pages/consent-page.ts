import { html } from 'hono/html'
import { callbackParameters } from '../../contract/sign-in/oidc.ts'
import type { EmulatorUser } from '../options/sign-in-options.ts'
import { callbackAddress, readAuthorization } from '../routes/authorization.ts'
import type { EmulatorRequest } from '../server/request.ts'
import { ServiceError } from '../server/service-error.ts'
import type { ServiceState } from '../state/service-state.ts'
import type { AuthorizationRequest } from '../state/sign-ins.ts'
import { handleForm } from './form.ts'
import { errorMessage, radioButton } from './form-parts.ts'
import { page, pageHeaders } from './page.ts'

const note = 'Nobody is asked who they are: you choose who signs in.'

/** The person agrees. @returns where their browser goes */
export function approveAuthorization(
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
export const denyAuthorization = ({ redirectUri, state }: AuthorizationRequest): string =>
  callbackAddress(redirectUri, {
    [callbackParameters.error]: 'access_denied',
    [callbackParameters.errorDescription]: 'the user declined',
    [callbackParameters.state]: state,
  })

/** The consent page, and what the person chose there. */
export async function handleAuthorization(state: ServiceState, arrival: EmulatorRequest): Promise<Response> {
  const { settings } = state
  let request: ReturnType<typeof readAuthorization>
  try {
    request = readAuthorization(settings.oidc, arrival.url.searchParams)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return stopped(error)
  }
  if ('location' in request) return sendTo(request.location, 302)
  const asked: AuthorizationRequest = request
  if (arrival.method !== 'POST') return consentPage(200, asked, settings.users)

  return handleForm(arrival, async (form) => {
    const user = chosen(settings.users, form.get('user'))
    // 303: what follows the form is a GET, whatever the browser sent.
    if (form.get('choice') === 'deny') return sendTo(denyAuthorization(asked), 303)
    if (form.get('choice') === 'approve' && user) return sendTo(approveAuthorization(state, asked, user), 303)
    return consentPage(400, asked, settings.users)
  })
}

const sendTo = (location: string, status: 302 | 303) =>
  new Response(null, { status, headers: { ...pageHeaders, location } })

/** The first, where the form names nobody. */
const chosen = (users: readonly EmulatorUser[], named: string | null) =>
  named === null ? users[0] : users.find(({ sub }) => sub === named)

const stopped = ({ facts: { status, code, message } }: ServiceError) =>
  page(
    status,
    { title: `You cannot sign in here: ${code}`, note },
    html`<h1>You cannot sign in here</h1>
<p><code>${code}</code>: ${message}</p>
<p>Nobody can be sent back: the address to return to is not known to be the application's.</p>`,
  )

/** What the scopes of the contract mean to a person (section 4.7); others are the application's own. */
const scopeWords: ReadonlyMap<string, string> = new Map([
  ['openid', 'Know you again when you come back'],
  ['profile', 'See your name and your email address'],
  ['verifications', 'See which of your verifications passed'],
  ['zkp', 'Ask for proofs about you that do not show the data behind them'],
])

function consentPage(
  status: 200 | 400,
  { clientId, scopes, redirectUri }: AuthorizationRequest,
  users: readonly EmulatorUser[],
): Promise<Response> {
  const title = `Sign in to ${clientId}`
  return page(
    status,
    { title: status === 200 ? title : `Again: ${title}`, note },
    html`${errorMessage(status === 200 ? undefined : 'Choose one of the people and one of the buttons.')}<h1>${title}</h1>
<h2>It asks to</h2>
<ul>
${scopes.map(
  (
    scope,
  ) => html`<li>${scopeWords.get(scope) ?? 'Something that only the application can explain'} (<code>${scope}</code>)</li>
`,
)}</ul>
<p>Afterwards you return to <code>${redirectUri}</code></p>
<form method="post">
<fieldset><legend>Who are you?</legend>
${users.map(({ sub, name, email }, i) => radioButton({ name: 'user', value: sub, label: name ?? email ?? sub, isPicked: i === 0 }))}</fieldset>
<div class="row">
<button class="main" name="choice" value="approve">Agree and sign in</button>
<button name="choice" value="deny">Decline</button>
</div>
</form>`,
  )
}
