import {
  addMembers,
  deactivateMember,
  inviteMember,
  listMembers,
  reactivateMember,
  removeMember,
  resolveMember,
} from '../../contract/organization/members.ts'
import { memberRoles } from '../../contract/organization/roles.ts'
import { anyObject } from '../../contract/schema/schema.ts'
import { serviceError } from '../model/service-error.ts'
import type { ServiceState } from '../model/service-state.ts'
import { organizationApi } from './interface.ts'
import { type Operation, serve } from './operation.ts'

/** The contract does not document the type of this id. */
const organizationId = 1

const isRole = (role: string | undefined) => role === undefined || memberRoles.some((known) => known === role)

const isEmail = (text: string) => /^[^@\s]+@[^@\s]+$/.test(text)

/** Serves the roster (contract, sections 3.3 and 4.9). */
export function memberOperations({ roster, inviteLimit, settings }: ServiceState): Operation[] {
  const ref = (ids: Readonly<Record<string, string>>) => ids.member_id ?? ''

  return [
    serve(listMembers, () => ({
      members: roster.all().filter(({ role }) => role === 'member'),
      organization: { id: organizationId, name: settings.org.name },
    })),
    // Validation by the declared body would report a missing identifier as `invalid_request`, but it has its own code.
    serve({ ...resolveMember, body: anyObject }, ({ body: { svc_id, email } }) => {
      const identifiers = [svc_id, email].filter(Boolean)
      if (identifiers.length === 0) throw serviceError('missing_identifier')
      if (!identifiers.every((one) => typeof one === 'string'))
        throw organizationApi.invalid([{ field: svc_id ? 'svc_id' : 'email', message: 'must be a string' }])
      const match = identifiers.map((one) => roster.find(one)).find((member) => member !== undefined)
      return { found: match !== undefined, member: match ?? null }
    }),
    serve(addMembers, ({ body: { members, notify = true, invite = 'auto' }, origin }) => {
      const malformed = members.flatMap(({ email, role }, i) => [
        ...(isEmail(email) ? [] : [{ field: `members.${i}.email`, message: 'is not an email address' }]),
        ...(isRole(role) ? [] : [{ field: `members.${i}.role`, message: `must be ${memberRoles.join(' or ')}` }]),
      ])
      if (malformed.length > 0) throw organizationApi.invalid(malformed)
      return roster.add(members, { notify, invite, origin })
    }),
    serve(deactivateMember, ({ ids }) => roster.deactivate(ref(ids))),
    serve(removeMember, ({ ids, query }) => roster.remove(ref(ids), query.permanent ?? false)),
    serve(reactivateMember, ({ ids }) => roster.reactivate(ref(ids))),
    serve(inviteMember, ({ ids, origin }) => {
      const member = roster.find(ref(ids))
      if (member === undefined) throw serviceError('not_found')
      inviteLimit.take(member.member_id)
      return roster.invite(member.member_id, origin)
    }),
  ]
}
