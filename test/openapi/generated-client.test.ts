import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import { createOpenApiDocument } from '../../tools/openapi/document.ts'
import { linkDependencies } from '../support/dependencies.ts'
import { typeCheck } from '../support/type-check.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A program of somebody who has only the document. */
const program = `
import createClient from 'openapi-fetch'
import type { components, paths, webhooks } from './schema.js'

export interface Setup {
  readonly baseUrl: string
  readonly apiKey: string
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
  readonly approve: (url: string) => string
}

type Event = webhooks['verification.approved']['post']['requestBody']['content']['application/json']
export const eventType: Event['type'] = 'verification.approved'

/** A check is a union that its type discriminates. */
function scoreOf(check: components['schemas']['Check']): number | null | undefined {
  return check.type === 'face_match' ? check.data?.similarity : check.score
}

export async function walk({ baseUrl, apiKey, clientId, clientSecret, redirectUri, approve }: Setup) {
  const api = createClient<paths>({ baseUrl, headers: { 'X-API-Key': apiKey } })
  const created = await api.POST('/api/v2/session', { body: { workflow_id: 'wf_identity' } })
  if (!created.data) throw new Error(JSON.stringify(created.error))
  const { session_id: id } = created.data.data
  const decided = await api.PATCH('/api/v2/session/{id}/status', {
    params: { path: { id } },
    body: { status: 'DECLINED' },
  })
  const again = await api.PATCH('/api/v2/session/{id}/status', {
    params: { path: { id } },
    body: { status: 'DECLINED' },
  })
  const decision = await api.GET('/api/v2/session/{id}/decision', { params: { path: { id } } })
  const listed = await api.GET('/api/v2/session', { params: { query: { status: 'DECLINED', limit: 1 } } })

  const age = await api.POST('/api/v2/age-verification', {
    params: { header: { 'Idempotency-Key': 'key-1' } },
    body: { dob: '1990-12-10', bands: ['18+', 21] },
  })
  const match = await api.POST('/api/v2/face-match', { body: { image1: 'aW1hZ2U=', image2: 'aW1hZ2U=' } })

  const query = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    state: 'state',
  } satisfies paths['/api/auth/oidc/authorize']['get']['parameters']['query']
  const callback = new URL(approve(\`\${baseUrl}/api/auth/oidc/authorize?\${new URLSearchParams(query)}\`))
  const code = callback.searchParams.get('code') ?? ''
  const credentials = { client_id: clientId, client_secret: clientSecret }
  const tokens = await api.POST('/api/auth/oidc/token', {
    body: { grant_type: 'authorization_code', ...credentials, code, redirect_uri: redirectUri },
  })
  const refreshed = await api.POST('/api/auth/oidc/token', {
    body: { grant_type: 'refresh_token', ...credentials, refresh_token: tokens.data?.refresh_token ?? '' },
  })
  const keys = await api.GET('/api/auth/oidc/jwks.json')

  const org = createClient<paths>({
    baseUrl,
    headers: { 'X-Client-Id': clientId, 'X-Client-Secret': clientSecret },
  })
  const added = await org.POST('/api/sdk/members', {
    body: { members: [{ email: 'ada@example.com', role: 'member' }], notify: false, invite: 'face' },
  })
  const member_id = added.data?.data.created[0]?.member_id ?? ''
  const members = await org.GET('/api/sdk/members')
  const removed = await org.DELETE('/api/sdk/members/{member_id}', {
    params: { path: { member_id }, query: { permanent: true } },
  })
  const billing = await org.GET('/api/sdk/billing')

  return {
    decided: decided.data?.data.status,
    again: again.error && 'error' in again.error ? again.error.error : undefined,
    decision: decision.data?.data.decision,
    listed: listed.data?.data.length,
    age: Object.values(age.data?.data.check.data?.bands ?? {}).map(({ verified }) => verified),
    similarity: match.data && scoreOf(match.data.data.check),
    token_type: refreshed.data?.token_type,
    keys: keys.data?.keys.length,
    members: members.data?.data.members.map(({ email }) => email),
    removed: removed.data?.data.removed,
    seats: billing.data?.data.seats,
  }
}
`

/** Uses of the client that must not compile. */
const mistakes = [
  `api.GET('/api/v2/sessions')`,
  `api.POST('/api/v2/age-verification', { body: { dob: '1990-12-10' } })`,
  `api.PATCH('/api/v2/session/{id}/status', { params: { path: { id: '1' } }, body: { status: 'IN_REVIEW' } })`,
  `api.GET('/api/sdk/billing').then(({ data }) => data?.data.seats.length)`,
]

it('the file in the package is the document', async () => {
  const built = await readFile(join(root, 'dist/openapi.json'), 'utf8')

  expect(JSON.parse(built)).toEqual(JSON.parse(JSON.stringify(createOpenApiDocument())))
})

it('a client generated from the document compiles, and walks through a session, checks, a sign-in and the roster', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'generated-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  linkDependencies(join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const types = await openapiTS(await readFile(join(root, 'dist/openapi.json'), 'utf8'))
  const wrong = mistakes.map((use) => `// @ts-expect-error\n${use}`).join('\n')
  const errors = await typeCheck(folder, {
    'schema.d.ts': astToString(types),
    'walk.ts': program,
    'mistakes.ts': `import createClient from 'openapi-fetch'
import type { paths } from './schema.d.ts'
const api = createClient<paths>()
${wrong}`,
  })
  expect(errors).toBe('')

  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  const { outputText } = ts.transpileModule(program, { compilerOptions: options })
  await writeFile(join(folder, 'walk.js'), outputText)
  const { walk } = await import(pathToFileURL(join(folder, 'walk.js')).href)
  const emulator = createEmulator({ seed: 1 })
  const server = await emulator.listen()
  onTestFinished(() => server.close())
  const { verification, oidc } = emulator.options
  const outcome = await walk({
    ...oidc,
    baseUrl: server.url,
    apiKey: verification.apiKey,
    approve: (url: string) => emulator.signIn.approve(url),
  })

  expect(outcome).toEqual({
    decided: 'DECLINED',
    again: expect.objectContaining({ code: 'already_decided', status: 'DECLINED' }),
    decision: 'DECLINED',
    listed: 1,
    age: [true, true],
    similarity: expect.any(Number),
    token_type: 'Bearer',
    keys: 1,
    members: expect.arrayContaining(['ada@example.com']),
    removed: true,
    seats: expect.any(Number),
  })
})
