import { html } from 'hono/html'
import type { Member } from '../../contract/organization/member-results.ts'
import type { EmulatorRequest } from '../server/request.ts'
import type { Invitation } from '../state/roster/roster.ts'
import type { ServiceState } from '../state/service-state.ts'
import { handleForm } from './form.ts'
import { type Markup, page } from './page.ts'

const note = 'Nobody looks at a face: one click connects an identity.'

/** The page behind an activation link. Looking at it changes nothing. */
export async function showActivationPage(
  { roster, settings }: ServiceState,
  token: string,
): Promise<Response> {
  const invitation = roster.invitation(token)
  if (invitation?.state !== 'open') return closed(invitation)
  return page(
    200,
    { title: `Invitation to ${settings.organization.name}`, note },
    open(invitation.member, settings.organization.name),
  )
}

/** The person connects their identity: the member is active (contract, section 3.3). */
export const handleActivationForm = (
  { roster, settings }: ServiceState,
  token: string,
  arrival: EmulatorRequest,
): Promise<Response> =>
  handleForm(arrival, async (form) => {
    const invitation = roster.invitation(token)
    if (invitation?.state !== 'open') return closed(invitation)
    const { name } = settings.organization
    const { member } = invitation
    if (form.get('choice') !== 'connect')
      return page(400, { title: `Again: invitation to ${name}`, note }, open(member, name))
    roster.activate(member.member_id)
    return page(
      200,
      { title: `Member of ${name}`, note },
      html`<h1>You are a member of ${name}</h1><p>Your identity is connected. You may close this window.</p>`,
    )
  })

const open = (
  { first_name, last_name, email, role }: Member,
  organization: string,
): Markup => html`<h1>Join ${organization}</h1>
<dl>
<dt>Invited</dt><dd>${[first_name, last_name].filter(Boolean).join(' ') || email}</dd>
<dt>Email</dt><dd>${email}</dd>
<dt>Role</dt><dd>${role}</dd>
</dl>
<form method="post"><button class="main" name="choice" value="connect">Connect your identity by face</button></form>`

/** Whose it was is not shown: the link may have come into other hands. */
function closed(invitation: Exclude<Invitation, { state: 'open' }> | undefined): Promise<Response> {
  if (invitation === undefined)
    return page(
      404,
      { title: 'No such invitation', note },
      html`<h1>No such invitation</h1><p>The address belongs to no activation link.</p>`,
    )
  if (invitation.state === 'accepted')
    return page(
      409,
      { title: 'Invitation accepted', note },
      html`<h1>This invitation was accepted</h1><p>The identity is connected already.</p>`,
    )
  return page(
    410,
    { title: 'Invitation over', note },
    html`<h1>This invitation counts no longer</h1><p>A later link has taken its place, or the membership has ended.</p>`,
  )
}
