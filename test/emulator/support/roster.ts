import type { Service } from './service.ts'

/** Section 2.9. */
export interface Member {
  readonly id: number
  readonly member_id: string
  readonly first_name: string | null
  readonly last_name: string | null
  readonly email: string
  readonly role: string
  readonly status: string
  readonly svc_id: string | null
  readonly active: boolean
  readonly created_at: string
}

/** Section 4.9. */
interface Added extends Member {
  readonly activation_link: string | null
  readonly invite_method: string
  readonly reactivated?: true
}

export interface AddResult {
  readonly created: readonly Added[]
  readonly skipped: readonly { readonly email: string; readonly reason: string }[]
  readonly notified: boolean
}

interface Invited {
  readonly member: Member
  readonly activation_link: string
}

interface Resolved {
  readonly found: boolean
  readonly member: Member | null
}

export const members = '/api/sdk/members'

export const statuses = ['invited', 'link_sent', 'active', 'deactivated'] as const

export const emailOf = (status: (typeof statuses)[number]) => `${status}@example.com`

/** A member of each status. The email is {@link emailOf} the status. */
export const oneOfEach = statuses.map((status) => ({ email: emailOf(status), status }))

/** Requests to the organization API of a service, next to the service's own. */
export function rosterOf<Of extends Service>(service: Of) {
  const { call, get, patch, post } = service
  const pathOf = (id: string, action = '') => `${members}/${encodeURIComponent(id)}${action}`
  const add = (people: readonly (string | object)[], terms: object = {}) => {
    const list = people.map((one) => (typeof one === 'string' ? { email: one } : one))
    return post<AddResult>(members, { members: list, ...terms })
  }
  return {
    ...service,
    pathOf,
    add,
    added: async (...args: Parameters<typeof add>) => (await add(...args)).data,
    list: async () => (await get<{ members: readonly Member[] }>(members)).data.members,
    resolve: async (by: object) => (await post<Resolved>(`${members}/resolve`, by)).data,
    memberOf: async (email: string) => (await post<Resolved>(`${members}/resolve`, { email })).data.member,
    deactivate: (id: string) => patch<{ member: Member }>(pathOf(id, '/deactivate')),
    reactivate: (id: string) => patch<{ member: Member }>(pathOf(id, '/reactivate')),
    remove: (id: string, query = '') => call('DELETE', pathOf(id) + query),
    invite: (id: string) => call<Invited>('POST', pathOf(id, '/invite')),
  }
}
