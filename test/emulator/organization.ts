import type { AddResult, Member } from '../../src/contract/organization/member-results.ts'
import type { NewMember } from '../../src/contract/organization/members.ts'
import type { EmulatorOptions } from '../../src/emulator.ts'
import { emulated, type Reply } from './emulated.ts'

const credentials = { 'x-client-id': 'emulator_client_id', 'x-client-secret': 'emulator_client_secret' }

/** An emulator and raw calls to its organization API: nothing of our clients takes part. */
export function organization(options: EmulatorOptions = {}) {
  const { emulator, call: send } = emulated(options)
  const call = (method: string, path: string, json?: unknown, headers: Record<string, string> = {}) =>
    send(method, `/api/sdk${path}`, { headers: { ...credentials, ...headers }, json })
  const of = (id: string) => `/members/${encodeURIComponent(id)}`
  const member = ({ data }: Reply) => (data as { member: Member }).member
  return {
    emulator,
    call,
    add: async (members: readonly (string | NewMember)[], terms: object = {}) => {
      const people = members.map((one) => (typeof one === 'string' ? { email: one } : one))
      return (await call('POST', '/members', { members: people, ...terms })).data as AddResult
    },
    list: async () => ((await call('GET', '/members')).data as { members: Member[] }).members,
    resolve: async (by: object) =>
      (await call('POST', '/members/resolve', by)).data as { found: boolean; member: Member | null },
    deactivate: (id: string) => call('PATCH', `${of(id)}/deactivate`),
    reactivate: (id: string) => call('PATCH', `${of(id)}/reactivate`),
    remove: (id: string, query = '') => call('DELETE', of(id) + query),
    invite: (id: string) => call('POST', `${of(id)}/invite`),
    billing: async () => (await call('GET', '/billing')).data,
    member,
  }
}

/** A member of each status, whose email says which. */
export const oneOfEach = ['invited', 'link_sent', 'active', 'deactivated'].map((status) => ({
  email: `${status}@example.com`,
  status: status as 'active',
}))
