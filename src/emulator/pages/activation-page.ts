import { html } from 'hono/html'
import type { Member } from '../../contract/organization/member-results.ts'
import type { EmulatorRequest } from '../model/request.ts'
import type { ServiceState } from '../model/service-state.ts'
import { factList, type Markup } from './design/components.ts'
import { handleForm } from './form.ts'
import { page, sheetHead } from './page.ts'

const note = 'No face is checked. One click connects an identity.'

/** Renders the page behind an activation link. Opening it changes nothing. */
export async function showActivationPage({ roster, settings }: ServiceState, token: string): Promise<Response> {
  const member = roster.invited(token)
  if (member === undefined) return closedPage()
  const { name } = settings.org
  return page(200, { title: `Invitation to ${name}`, note }, invitationContent(member, name))
}

/** Handles the form: the person connects their identity, which makes the member active (contract, section 3.3). */
export const handleActivationForm = (
  { roster, settings }: ServiceState,
  token: string,
  request: EmulatorRequest,
): Promise<Response> =>
  handleForm(request, async (form) => {
    const member = roster.invited(token)
    if (member === undefined) return closedPage()
    const { name } = settings.org
    if (form.get('choice') !== 'connect')
      return page(400, { title: `Error: invitation to ${name}`, note }, invitationContent(member, name))
    roster.activate(member.member_id)
    return page(
      200,
      { title: `Member of ${name}`, note },
      sheetHead('checkCircle', `You are a member of ${name}`, {
        about: 'Your identity is connected. You can close this window.',
        tone: 'success',
      }),
    )
  })

const invitationContent = (
  { first_name, last_name, email, role }: Member,
  organization: string,
): Markup => html`${sheetHead('users', `Join ${organization}`, { about: 'You were invited to connect your identity.' })}
${factList([
  ['Invited person', [first_name, last_name].filter(Boolean).join(' ') || email],
  ['Email', email],
  ['Role', role],
])}
<form method="post" class="leave"><button name="choice" value="connect">Connect your identity by face</button></form>`

/** Renders the page of a link that cannot be used (contract, section 7: `invalid_activation`). */
const closedPage = () =>
  page(
    404,
    { title: 'Invitation not valid', note },
    sheetHead('xCircle', 'This invitation is not valid', {
      about: 'The link is unknown, was used or replaced, or the membership ended.',
      tone: 'warning',
    }),
  )
