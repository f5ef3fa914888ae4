import { expect, it } from 'vitest'
import { OrgClient, VerificationClient } from '../../src/index.ts'
import { aProvider, aSession, aState, aWorkflow } from '../support/fixtures.ts'
import { aMember } from '../support/roster-operations.ts'
import { scriptedFetch, succeed } from '../support/scripted-fetch.ts'

const lists = [
  {
    name: 'sessions.list',
    data: [aSession(), aSession({ session_id: 'sess_2' })],
    list: ({ client }: Clients) => client.sessions.list({ limit: 2 }),
    items: [aSession(), aSession({ session_id: 'sess_2' })],
  },
  {
    name: 'credentials.listStates',
    data: { states: [aState()] },
    list: ({ client }: Clients) => client.credentials.listStates(),
    items: [aState()],
  },
  {
    name: 'credentials.listProviders',
    data: { providers: [aProvider()] },
    list: ({ client }: Clients) => client.credentials.listProviders('CA'),
    items: [aProvider()],
  },
  {
    name: 'experimental.workflows.list',
    data: [aWorkflow()],
    list: ({ client }: Clients) => client.experimental.workflows.list(),
    items: [aWorkflow()],
  },
  {
    name: 'members.list',
    data: { members: [aMember()], organization: { id: 3, name: 'Analytical Engines' } },
    list: ({ org }: Clients) => org.members.list(),
    items: [aMember()],
  },
] as const

interface Clients {
  readonly client: VerificationClient
  readonly org: OrgClient
}

function clientsThatReceive(data: unknown): Clients & { readonly requests: readonly unknown[] } {
  const { fetch, requests } = scriptedFetch(succeed(data))
  const baseUrl = 'https://id.example.test'
  return {
    client: new VerificationClient({
      baseUrl,
      apiKey: 'key',
      fetch,
      maxRetries: 0,
      responseValidation: 'strict',
    }),
    org: new OrgClient({ baseUrl, clientId: 'id', clientSecret: 'secret', fetch, maxRetries: 0 }),
    requests,
  }
}

it.each(lists)('for await gives the items of $name, with one request', async ({ data, list, items }) => {
  const clients = clientsThatReceive(data)
  const received: unknown[] = []

  for await (const item of list(clients)) received.push(item)

  expect(received).toEqual(items)
  expect(clients.requests).toHaveLength(1)
})

it('a list gives what the service returned, its items and its response from one call', async () => {
  const { client, requests } = clientsThatReceive([aSession()])
  const list = client.sessions.list()

  expect(await list).toEqual([aSession()])
  expect((await list.withResponse()).response.status).toBe(200)
  for await (const session of list) expect(session).toEqual(aSession())
  expect(requests).toHaveLength(1)
})

it('for await throws the error of the call', async () => {
  const { client } = clientsThatReceive({ unexpected: true })
  const read = async () => {
    for await (const _ of client.sessions.list()) expect.fail()
  }

  await expect(read()).rejects.toMatchObject({ code: 'invalid_response' })
})

it.each([
  ['timeoutMs', 5],
  ['signal', new AbortController().signal],
  ['headers', {}],
])('a list rejects the request option %s in the place of its params', async (name, value) => {
  const { org, requests } = clientsThatReceive({ members: [] })

  await expect(org.members.list({ [name]: value as never })).rejects.toMatchObject({
    code: 'invalid_params',
    issues: [{ path: name, message: 'is an option of the request: pass it in the argument after the params' }],
  })
  expect(requests).toHaveLength(0)
})
