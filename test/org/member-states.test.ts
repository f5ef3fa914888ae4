import { expect, it, onTestFinished } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../src/emulator.ts'
import { OrgClient } from '../../src/index.ts'
import { emulatedOrg } from './emulated-org.ts'

const email = 'Ada.Lovelace+eu@example.com'

/** The client in-process, and over a real connection. */
const setups: [string, (options?: EmulatorOptions) => Promise<ReturnType<typeof inProcess>>][] = [
  ['in-process', async (options) => emulatedOrg(options)],
  ['over undici', listening],
]

const inProcess = (options: EmulatorOptions = {}) => {
  const emulator = createEmulator({ seed: 'org', ...options })
  return { emulator, org: new OrgClient(emulator.options.org) }
}

async function listening(options: EmulatorOptions = {}) {
  const { emulator } = inProcess(options)
  const server = await emulator.listen()
  const { clientId, clientSecret } = emulator.options.org
  const org = new OrgClient({ baseUrl: server.url, clientId, clientSecret, responseValidation: 'strict' })
  onTestFinished(async () => {
    await org.close()
    await server.close()
  })
  return { emulator, org }
}

it.each(setups)('a member passes through every transition (%s)', async (_, setUp) => {
  const { emulator, org } = await setUp()
  const { members } = org

  const { created } = await members.add({ members: [{ email }], notify: false })
  const [added] = created
  expect(added).toMatchObject({ status: 'link_sent', active: false, svc_id: null, invite_method: 'face' })
  const { activation_link } = await members.invite(email)
  expect(activation_link).not.toBe(added?.activation_link)

  const { svc_id } = emulator.members.activate(activation_link)
  expect(await members.resolve({ svc_id: svc_id as string })).toMatchObject({
    found: true,
    member: { email, status: 'active', active: true, svc_id },
  })
  await expect(members.invite(email)).rejects.toMatchObject({ status: 409, code: 'already_active' })

  const ids = [added?.member_id, email, svc_id] as string[]
  for (const id of ids) {
    expect(await members.deactivate(id)).toMatchObject({ status: 'deactivated', active: false, svc_id })
    await expect(members.invite(id)).rejects.toMatchObject({ status: 409, code: 'deactivated' })
    expect(await members.reactivate(id)).toMatchObject({ status: 'active', active: true })
    expect(await members.remove(id)).toMatchObject({ member: { status: 'deactivated' } })
    expect(await members.add({ members: [{ email }] })).toMatchObject({
      created: [{ status: 'active', reactivated: true, activation_link: null, member_id: added?.member_id }],
      skipped: [],
    })
  }
  expect(await members.add({ members: [{ email: email.toUpperCase() }] })).toMatchObject({
    created: [],
    skipped: [{ email: email.toUpperCase(), reason: 'duplicate' }],
  })

  await members.deactivate(email)
  emulator.members.removeIdentity(email)
  expect(await members.reactivate(email)).toMatchObject({ status: 'invited', active: false, svc_id: null })
  expect(await members.invite(email)).toMatchObject({ member: { status: 'link_sent' } })

  expect(await members.remove(email, { permanent: true })).toEqual({ found: true, member: null, removed: true })
  expect(await members.remove(email, { permanent: true })).toEqual({
    found: false,
    member: null,
    already_removed: true,
  })
  expect(await members.remove(added?.member_id as string)).toEqual({
    found: false,
    member: null,
    already_removed: true,
  })
  expect(await members.resolve({ email })).toEqual({ found: false, member: null })
})

it.each(setups)('methods that take an id accept a member, and use its member_id (%s)', async (_, setUp) => {
  const { emulator, org } = await setUp()
  const { created } = await org.members.add({ members: [{ email }], notify: false })
  const [added] = created
  if (!added) throw new Error('no member was added')
  const path = `/api/sdk/members/${added.member_id}`

  const { member, activation_link } = await org.members.invite(added)
  emulator.members.activate(activation_link)
  const deactivated = await org.members.deactivate(member)
  const reactivated = await org.members.reactivate(deactivated)
  await org.members.remove(reactivated)
  await org.members.remove({ member_id: added.member_id }, { permanent: true })

  expect(emulator.requests.slice(1).map((one) => `${one.method} ${one.path}`)).toEqual([
    `POST ${path}/invite`,
    `PATCH ${path}/deactivate`,
    `PATCH ${path}/reactivate`,
    `DELETE ${path}`,
    `DELETE ${path}?permanent=true`,
  ])
})

it('an eleventh invite of one member in a minute waits as long as the service specifies', async () => {
  const { org, waits } = emulatedOrg({ members: [{ email, status: 'invited' }] })
  for (let i = 0; i < 10; i++) await org.members.invite(email)

  await expect(org.members.invite(email, { maxRetries: 0 })).rejects.toMatchObject({
    name: 'RateLimitError',
    code: 'rate_limited',
    retryAfterMs: 60_000,
    retryable: true,
  })
  expect(waits).toEqual([])
  await org.members.invite(email)
  expect(waits).toEqual([60_000])
})

it('a lost response to add is an error, and adding again skips the member', async () => {
  const { emulator, org } = emulatedOrg()
  emulator.faults.add({ match: 'members.add', reset: true, when: 'after' })

  await expect(org.members.add({ members: [{ email }] })).rejects.toMatchObject({ mayHaveArrived: true })
  expect(await org.members.add({ members: [{ email }] })).toMatchObject({
    skipped: [{ reason: 'duplicate' }],
  })
})

it('a removal whose response is lost is retried and succeeds', async () => {
  const { emulator, org } = emulatedOrg({ members: [{ email }] })
  emulator.faults.add({ match: 'members.remove', reset: true, when: 'after' })
  expect(await org.members.remove(email, { permanent: true })).toEqual({
    found: false,
    member: null,
    already_removed: true,
  })
})
