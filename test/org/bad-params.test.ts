import { expect, it } from 'vitest'
import type { AddParams, OrgClient, RemoveParams, ResolveParams } from '../../src/index.ts'
import { testOrg } from '../support/org-client.ts'

/** A client that must not send anything. */
function silentOrg() {
  const sent: string[] = []
  const fetch: typeof globalThis.fetch = async (input) => {
    sent.push(String(input))
    return new Response()
  }
  return { ...testOrg({ fetch }), sent }
}

const ada = { email: 'ada@example.com' }

const badMembers: [string, unknown, string[]][] = [
  ['no params', undefined, ['members']],
  ['null', null, ['params']],
  ['no members', { notify: true }, ['members']],
  ['members that are not an array', { members: ada }, ['members']],
  ['an empty array', { members: [] }, ['members']],
  ['an array with a hole', { members: Object.assign(Array(2), { 1: ada }) }, ['members.0']],
  ['501 members', { members: Array(501).fill(ada) }, ['members']],
  ['a member that is a string', { members: ['ada@example.com'] }, ['members.0']],
  ['a member without an email', { members: [ada, { first_name: 'Bob' }] }, ['members.1.email']],
  ['an empty email', { members: [{ email: '' }] }, ['members.0.email']],
  ['an email with a space after it', { members: [ada, { email: 'bo@example.com ' }] }, ['members.1.email']],
  ['an email with a line break', { members: [{ email: 'bo@example.com\n' }] }, ['members.0.email']],
  [
    'names that are not strings',
    { members: [{ ...ada, first_name: 1, last_name: null }] },
    ['members.0.first_name', 'members.0.last_name'],
  ],
  ['a role that is not text', { members: [{ ...ada, role: 7 }] }, ['members.0.role']],
  ['a notify that is a string', { members: [ada], notify: 'no' }, ['notify']],
  ['an unknown invite method', { members: [ada], invite: 'fax' }, ['invite']],
]

it.each(badMembers)('add rejects %s, names the field and sends nothing', async (_, params, paths) => {
  const { org, sent } = silentOrg()

  const error: unknown = await org.members.add(params as AddParams).catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({
    name: 'InvalidParamsError',
    code: 'invalid_params',
    operation: 'members.add',
  })
  expect((error as { issues: { path: string }[] }).issues.map(({ path }) => path)).toEqual(paths)
  expect(sent).toEqual([])
})

it.each([
  [{ members: [] }, 'members must contain 1 to 500 members'],
  [{ members: [ada], invite: 'fax' }, '"auto" or "email" or "face"'],
  [{ members: [{}] }, 'members.0.email is required'],
])('add says what is valid instead of %j', async (params, message) => {
  await expect(silentOrg().org.members.add(params as AddParams)).rejects.toThrow(message)
})

const hiddenCharacters = [
  ['U+200B', 'a zero-width space'],
  ['U+2060', 'a word joiner'],
  ['U+FEFF', 'a byte order mark'],
  ['U+00AD', 'a soft hyphen'],
  ['U+202E', 'a mark of direction'],
  ['U+2066', 'an isolate'],
  ['U+0007', 'a control character'],
  ['U+0085', 'a C1 control character'],
  ['U+2028', 'a line separator'],
  ['U+FE0F', 'a variation selector'],
  ['U+3164', 'a filler'],
  ['U+E0041', 'a tag'],
] as const

it.each(hiddenCharacters)('add, addAll and resolve reject an email that contains %s, %s', async (name) => {
  const { org, sent } = silentOrg()
  const character = String.fromCodePoint(Number.parseInt(name.slice(2), 16))
  for (const email of [`a${character}da@example.com`, `ada@example.com${character}`, `${character}ada@x.org`]) {
    const message = `must not contain ${name}, which is invisible. Type it again`
    const rejection = (path: string) => ({ name: 'InvalidParamsError', issues: [{ path, message }] })

    await expect(org.members.resolve({ email })).rejects.toMatchObject(rejection('email'))
    await expect(org.members.add({ members: [ada, { email }] })).rejects.toMatchObject(rejection('members.1.email'))
    const { failures } = await org.members.addAll([{ email }])
    expect(failures.map(({ error }) => error)).toMatchObject([rejection('members.0.email')])
  }
  expect(sent).toEqual([])
})

const badLookups: [string, unknown, string[]][] = [
  ['no params', undefined, ['email']],
  ['neither field', {}, ['email']],
  ['two undefined fields', { svc_id: undefined, email: undefined }, ['email']],
  ['an empty email', { email: '' }, ['email']],
  ['an email with spaces around it', { email: ' ada@example.com' }, ['email']],
  ['an empty svc_id', { svc_id: '', email: 'ada@example.com' }, ['svc_id']],
  ['a number', { svc_id: 5 }, ['svc_id']],
]

it.each(badLookups)('resolve rejects %s, names the field and sends nothing', async (_, params, paths) => {
  const { org, sent } = silentOrg()
  const call = org.members.resolve(params as ResolveParams)
  await expect(call).rejects.toMatchObject({ name: 'InvalidParamsError', issues: [{ path: paths[0] }] })
  expect(sent).toEqual([])
})

it.each([['yes'], [1], [null]])('remove rejects permanent: %j and sends nothing', async (permanent) => {
  const { org, sent } = silentOrg()
  const call = org.members.remove('svc_1', { permanent } as unknown as RemoveParams)
  await expect(call).rejects.toMatchObject({ name: 'InvalidParamsError', issues: [{ path: 'permanent' }] })
  expect(sent).toEqual([])
})

type ById = (org: OrgClient, id: string) => Promise<unknown>

const calls: [string, ById][] = [
  ['deactivate', (org, id) => org.members.deactivate(id)],
  ['reactivate', (org, id) => org.members.reactivate(id)],
  ['remove', (org, id) => org.members.remove(id, { permanent: true })],
  ['invite', (org, id) => org.members.invite(id)],
]

// `DELETE /members/` instead of `DELETE /members/<id>` would be another operation.
it.each(calls)('%s rejects an id that would change the path, and sends nothing', async (_, call) => {
  const { org, sent } = silentOrg()
  for (const id of ['', '.', '..', '%2e', '%2E%2e', 'a\ud800@example.com', undefined, null, 7, {}, []])
    await expect(call(org, id as string)).rejects.toMatchObject({
      name: 'InvalidParamsError',
      issues: [{ path: 'member_id' }],
    })
  expect(sent).toEqual([])
})

it('add sends a role that the contract does not list, because the service decides', async () => {
  const { org, sent } = silentOrg()

  await org.members.add({ members: [{ ...ada, role: 'boss' as 'admin' }] }).catch(() => undefined)

  expect(sent).toHaveLength(1)
})
