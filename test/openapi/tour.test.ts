import { expect, it } from 'vitest'
import { webhookEventStatuses, webhookEventTypes } from '../../src/contract/webhooks/events.ts'
import { createEmulator } from '../../src/emulator.ts'
import { OidcClient, OrgClient, VerificationClient } from '../../src/index.ts'
import { images } from '../support/fixtures.ts'
import { readDocument } from './read-document.ts'
import { validatingProxy } from './validating-proxy.ts'
import { documentValidator } from './validation.ts'

const license = { license_state: 'CA', license_type: 'Registered Nurse', license_number: 'RN-482913' }
const frames = ['ZnJhbWUx', 'ZnJhbWUy', 'ZnJhbWUz'].map((base64) => ({ base64 }))
const redirectUri = 'http://127.0.0.1:3000/callback'

async function start() {
  const proxy = await validatingProxy({
    seed: 1,
    oidc: { redirectUris: [redirectUri] },
    members: [
      { email: 'ada@example.com', status: 'active' },
      { email: 'bo@example.com', status: 'link_sent' },
    ],
  })
  const { url, emulator } = proxy
  const common = { baseUrl: url, fetch: globalThis.fetch, maxRetries: 0 }
  const { verification, oidc, org } = emulator.options
  return {
    ...proxy,
    client: new VerificationClient({ ...common, apiKey: verification.apiKey }),
    oidc: new OidcClient({ ...oidc, ...common, redirectUri }),
    org: new OrgClient({ ...org, ...common }),
  }
}

it('every operation of the clients and every response of the emulator is valid against the document', async () => {
  const { client, oidc, org, emulator, violations, seen } = await start()
  const { sessions, checks, credentials, experimental } = client

  const session = await sessions.create({
    workflow_id: 'wf_identity',
    redirect_url: 'https://app.example.com/return',
    vendor_data: 'user-42',
    ttl_seconds: 600,
    metadata: { plan: 'pro' },
  })
  await sessions.decision(session.session_id)
  await emulator.sessions.complete(session.session_id, 'APPROVED')
  await sessions.retrieve(session.session_id)
  await sessions.decision(session.session_id)
  await sessions.list({ status: 'APPROVED', limit: 5 })
  const other = await sessions.create({ workflow_id: 'wf_identity' })
  await sessions.updateStatus(other.session_id, { status: 'DECLINED' })

  await checks.idVerification({ front_image: images.jpeg, back_image: images.png })
  await checks.liveness({ image: images.webp })
  await checks.faceMatch({ image1: images.jpeg, image2: images.png })
  await checks.age({ dob: '1990-12-10', bands: [18, '21+', 'is_30_plus', -1] })
  await checks.credential({ ...license, full_name: 'Alex Sample', do_ai_clean: true })
  await checks.kycCredential({ front_image: images.jpeg, selfie: images.png, ...license })
  await checks.location({
    latitude: 52,
    longitude: 13,
    accuracy: 5,
    expected_latitude: 52,
    expected_longitude: 13,
  })
  await checks.location({})
  await credentials.listStates()
  await credentials.listProviders('CA')

  const workflow = await experimental.workflows.create({ name: 'Adults', features: ['age'] })
  await experimental.workflows.list()
  await experimental.workflows.retrieve(workflow.id)
  await experimental.workflows.update(workflow.id, { name: 'Adults only' })
  await experimental.workflows.delete(workflow.id)
  await experimental.antispoof.check({ frames })
  await experimental.antispoof.check({ image: images.jpeg })
  await experimental.antispoof.identity({ frames })
  const unique = await experimental.faceUniqueness.check({ selfie: 'c2VsZmll' })
  await experimental.faceUniqueness.delete(String(Object(unique).svc_uuid))

  const login = await oidc.createAuthorization({ scope: ['openid'] })
  await fetch(login.url, { redirect: 'manual' })
  const { refresh_token } = await oidc.handleCallback(emulator.signIn.approve(login.url), login)
  await oidc.refresh(refresh_token)
  await Promise.allSettled([
    oidc.legacy.exchangeCode({ code: 'code' }),
    oidc.legacy.userinfo('access-token'),
    oidc.legacy.licenses('access-token'),
    oidc.legacy.verifications('access-token'),
    oidc.legacy.refresh('refresh-token'),
    oidc.legacy.refresh('refresh-token', { auth: 'basic' }),
  ])

  await org.members.list()
  await org.members.resolve({ email: 'ada@example.com' })
  await org.members.resolve({ svc_id: 'nobody' })
  await org.members.add({
    members: [{ email: 'cy@example.com', first_name: 'Cy', role: 'admin' }, { email: 'ada@example.com' }],
    notify: false,
    invite: 'face',
  })
  await org.members.deactivate('ada@example.com')
  await org.members.reactivate('ada@example.com')
  await org.members.invite('bo@example.com')
  await org.members.remove('bo@example.com')
  await org.members.remove('cy@example.com', { permanent: true })
  await org.members.remove('cy@example.com', { permanent: true })
  await org.billing.retrieve()

  const { operations } = readDocument()
  const visited = new Set(seen.map(({ exchange }) => exchange.replace(/ \d+$/, '')))
  expect(violations).toEqual([])
  const note = 'call each operation in this file'
  expect([...visited].sort(), note).toEqual(operations.map(({ method, path }) => `${method} ${path}`).sort())
})

it('every error of the emulator is valid against the document, and its code is listed for the status', async () => {
  const { client, oidc, org, emulator, url, violations, seen } = await start()
  const { sessions, checks, experimental } = client
  const withKey = (apiKey: string) =>
    new VerificationClient({ baseUrl: url, fetch: globalThis.fetch, maxRetries: 0, apiKey })
  const decided = await sessions.create({ workflow_id: 'wf_identity' })
  await emulator.sessions.complete(decided.session_id, 'APPROVED')
  const open = await sessions.create({ workflow_id: 'wf_identity' })
  emulator.faults.add({ match: 'billing.retrieve', status: 500 })

  const failed = await Promise.allSettled([
    sessions.create({ workflow_id: 'wf_unknown' }),
    sessions.create({ workflow_id: 'wf_identity', callback: 'https://not-approved.example.com/' }),
    sessions.retrieve('sess_unknown'),
    sessions.updateStatus(decided.session_id, { status: 'DECLINED' }),
    sessions.updateStatus(open.session_id, { status: 'APPROVED' }),
    withKey('wrong').sessions.list(),
    checks.credential({ ...license, license_number: 'RN-0', full_name: 'Ada' }),
    checks.age({ dob: 'not a date', bands: [18] }),
    experimental.workflows.retrieve('wf_unknown'),
    oidc.refresh('refresh-token-of-nobody'),
    org.members.deactivate('nobody@example.com'),
    org.members.invite('ada@example.com'),
    org.members.add({ members: [{ email: 'not an email' }] }),
    org.billing.retrieve(),
    new OrgClient({
      ...{ baseUrl: url, fetch: globalThis.fetch, maxRetries: 0 },
      ...{ clientId: 'wrong', clientSecret: 'wrong' },
    }).members.list(),
  ])

  expect(failed.map(({ status }) => status)).toEqual(failed.map(() => 'rejected'))
  expect(violations).toEqual([])
  const { operations, resolve } = readDocument()
  const unlisted = seen
    .filter(({ code }) => code !== undefined)
    .filter(({ exchange, code }) => {
      const [method, path, status = ''] = exchange.split(' ')
      const responses = operations.find((one) => one.method === method && one.path === path)?.responses
      return !JSON.stringify(resolve(responses?.[status] ?? {})).includes(`"${code}"`)
    })
  // The fault of the emulator has no code of its own.
  expect(unlisted.map(({ exchange }) => exchange)).toEqual(['GET /api/sdk/billing 500'])
})

it.each(webhookEventTypes)('each delivery of %s is valid against the webhook of the document', async (type) => {
  const sent: Request[] = []
  const destination = 'https://app.example.com/webhooks'
  const emulator = createEmulator({
    webhooks: {
      destinations: [destination],
      deliver: async (input, init) => {
        sent.push(new Request(input, init))
        return new Response()
      },
    },
  })
  const client = new VerificationClient(emulator.options.verification)
  const session = await client.sessions.create({ workflow_id: 'wf_identity', callback: destination })
  await emulator.sessions.complete(session.session_id, webhookEventStatuses[type])
  await emulator.webhooks.sendTest(type)
  await emulator.webhooks.settled()

  const { document } = readDocument()
  const { requestBody, parameters = [] } = document.webhooks[type]?.post ?? expect.fail(type)
  const validate = documentValidator()
  const schema = requestBody?.content['application/json']?.schema ?? expect.fail(type)
  expect(sent).toHaveLength(2)
  for (const request of sent) {
    expect(validate(schema, await request.clone().json())).toEqual([])
    expect(parameters.filter(({ name }) => !request.headers.has(name))).toEqual([])
  }
})
