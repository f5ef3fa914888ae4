import { html } from 'hono/html'
import type { EmulatorUser } from '../model/options/sign-in-options.ts'
import type { EmulatorRequest } from '../model/request.ts'
import { ServiceError } from '../model/service-error.ts'
import type { ServiceState } from '../model/service-state.ts'
import type { ConsentRequest } from '../model/sign-in/sign-ins.ts'
import { approveAuthorization, denyAuthorization, readAuthorization } from '../service/authorization.ts'
import { errorMessage, radioButton } from './design/components.ts'
import { handleForm } from './form.ts'
import { page, redirect, sheetHead } from './page.ts'

const note = 'You choose who signs in. No password is checked.'

/** Renders the consent page and handles its form. */
export async function handleAuthorization(state: ServiceState, request: EmulatorRequest): Promise<Response> {
  const { settings } = state
  let authorization: ReturnType<typeof readAuthorization>
  try {
    authorization = readAuthorization(settings, request.url.searchParams)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return stoppedPage(error)
  }
  if ('location' in authorization) return redirect(authorization.location, 302)
  const valid: ConsentRequest = authorization
  if (request.method !== 'POST') return consentPage(200, valid, settings.users)

  return handleForm(request, async (form) => {
    const user = selectedUser(settings.users, form.get('user'))
    if (form.get('choice') === 'deny') return redirect(denyAuthorization(valid))
    if (form.get('choice') === 'approve' && user) return redirect(approveAuthorization(state, valid, user))
    return consentPage(400, valid, settings.users)
  })
}

/** Returns the user with this `sub`, or the first user if the form has none. */
const selectedUser = (users: readonly EmulatorUser[], sub: string | null) =>
  sub === null ? users[0] : users.find((user) => user.sub === sub)

const stoppedPage = ({ facts: { status, code, message } }: ServiceError) =>
  page(
    status,
    { title: `Sign-in is not possible: ${code}`, note },
    html`${sheetHead('xCircle', 'Sign-in is not possible', { about: html`<code>${code}</code>: ${message}`, tone: 'danger' })}
<p>You are not sent back, because it is not certain that the return address belongs to the app. Check the app's client_id and redirect_uri.</p>`,
  )

/** Lists the scopes by name, because the contract does not describe what they release. */
function consentPage(
  status: 200 | 400,
  { clientId, scopes, redirectUri }: ConsentRequest,
  users: readonly EmulatorUser[],
): Promise<Response> {
  const title = `Sign in to ${clientId}`
  return page(
    status,
    { title: status === 200 ? title : `Error: ${title}`, note },
    html`${sheetHead('key', title, { about: html`You return to <code>${redirectUri}</code>` })}
${errorMessage(status === 200 ? undefined : 'Choose a person, then press one of the buttons.')}
<form method="post">
<fieldset><legend>Sign in as</legend>
${users.map(({ sub, name, email }, i) =>
  radioButton({
    name: 'user',
    value: sub,
    label: name ?? email ?? sub,
    detail: name === undefined ? undefined : (email ?? sub),
    isSelected: i === 0,
  }),
)}</fieldset>
<h2>Requested scopes</h2>
<ul>
${scopes.map(
  (scope) => html`<li><code>${scope}</code></li>
`,
)}</ul>
<div class="stack">
<button name="choice" value="approve">Agree and sign in</button>
<button class="outline" name="choice" value="deny">Decline</button>
</div>
</form>`,
  )
}
