import { expect, it } from 'vitest'
import { ApiError, InvalidResponseError } from '../../../src/errors.ts'
import type { VerificationClient } from '../../../src/verification.ts'
import { aDecision, aSession, idCheck, images } from '../../support/fixtures.ts'
import { hookRecorder } from '../../support/hook-recorder.ts'
import { printed } from '../../support/printed.ts'
import { respond, type Step, scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { testClient } from '../../support/verification-client.ts'

/** Each of them must not be found in anything that is said of a call. */
const canary = {
  apiKey: 'canary_key_Zx81qPu4mN',
  header: 'canary header of the client',
  callHeader: 'canary-header-of-the-call',
  id: 'canary+id@example.test',
  query: 'canary query & more',
  text: 'canary text "quoted" <b>\n',
  nested: 'canary-nested-väluë',
  number: 8_675_309,
  token: 'canary.token.of.the.person',
  dob: '1985-04-12',
  licence: 'CANARY/RN-12',
  fullName: "Canary O'Hara",
  image: 'canary-bytes-of-an-image',
} as const

const image = new Uint8Array([...images.png, ...Buffer.from(canary.image)])
const inBase64 = Buffer.from(image).toString('base64')

const calls = {
  'sessions.create': (client: VerificationClient) =>
    client.sessions.create(
      {
        workflow_id: canary.text,
        redirect_url: `https://app.example.test/${canary.nested}`,
        vendor_data: canary.query,
        metadata: { deep: [{ deeper: canary.nested }, canary.number] },
        svc_access_token: canary.token,
      },
      { headers: { 'x-trace': canary.callHeader } },
    ),
  'sessions.list': (client: VerificationClient) => client.sessions.list({ vendor_data: canary.query }),
  'sessions.retrieve': (client: VerificationClient) => client.sessions.retrieve(canary.id),
  'sessions.decision': (client: VerificationClient) => client.sessions.decision(canary.id),
  'checks.age': (client: VerificationClient) => client.checks.age({ dob: canary.dob, bands: [18] }),
  'checks.credential': (client: VerificationClient) =>
    client.checks.credential({
      license_state: 'CA',
      license_type: canary.text,
      license_number: canary.licence,
      full_name: canary.fullName,
    }),
  'checks.liveness': (client: VerificationClient) => client.checks.liveness({ image }),
  'checks.liveness in JSON': (client: VerificationClient) =>
    client.checks.liveness({ image: { data: image } }, { encoding: 'json' }),
  'client.request': (client: VerificationClient) =>
    client.request({
      method: 'POST',
      path: '/api/v2/other',
      body: { anything: canary.text, more: canary.number },
    }),
} as const

const values = [...Object.values(canary).map(String), inBase64]
const encoded = (value: string) =>
  (['base64', 'base64url', 'hex'] as const).map((encoding) => Buffer.from(value).toString(encoding))
const sentence = values.join(', ')

/** All ways in which the values come back. */
const echoes: Readonly<Record<string, Step>> = {
  'in the message': respond(400, { success: false, error: { code: 'validation_error', message: sentence } }),
  'in upper case': respond(400, { error: { code: 'x', message: sentence.toUpperCase() } }),
  'encoded for a URL': respond(400, {
    error: { code: 'x', message: values.map(encodeURIComponent).join(' ') },
  }),
  'as JSON in the message': respond(400, { error: { code: 'x', message: JSON.stringify(values) } }),
  'in base64 and in hexadecimal': respond(400, {
    error: { code: 'x', message: values.flatMap((value) => encoded(value)).join(' ') },
  }),
  'in base64 as the request id': respond(
    400,
    { error: { code: 'x', message: 'no' } },
    { 'x-request-id': `req_${btoa(canary.apiKey)}` },
  ),
  'in the code': respond(400, { error: { code: canary.apiKey, message: 'no' } }),
  'as a code of RFC 6749': respond(400, { error: sentence, error_description: sentence }),
  'in details': respond(409, { error: { code: 'x', message: 'no', echo: values, [canary.nested]: 1 } }),
  'in the errors of fields': respond(422, {
    error: { code: 'x', message: 'no' },
    data: { errors: { email: values } },
  }),
  'in headers': respond(
    400,
    { error: { code: 'x', message: 'no' } },
    { 'x-request-id': canary.apiKey, 'x-echo': canary.token, 'retry-after': canary.licence },
  ),
  'in the request id of a success': respond(200, '<html>', { 'x-request-id': `req_${canary.apiKey}` }),
  'in a page': respond(
    200,
    `<html><body>Cannot POST ${sentence.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)}`,
  ),
  'in a page as they are': respond(200, `<html><body>${sentence}</body></html>`),
  'in plain text': respond(200, sentence),
  'in truncated JSON': respond(200, JSON.stringify({ success: true, data: values }).slice(0, -9)),
  'in JSON cut within an escape': respond(200, `{"echo":${JSON.stringify(sentence).slice(0, -1)}\\`),
  'in JSON of another form': respond(200, { echo: values }),
  'as names of members': respond(200, {
    data: undefined,
    ...Object.fromEntries(values.map((value) => [value, 1])),
  }),
  'in invalid UTF-8': () => new Response(Buffer.concat([Buffer.from(sentence), Buffer.of(0xff)])),
  'in success: false without a code': respond(200, { success: false, error: { message: sentence } }),
  'in a broken connection': () => {
    const deep = Object.assign(new Error(sentence), { code: 'ECONNRESET', body: sentence, headers: values })
    throw new TypeError(sentence, { cause: new Error(sentence, { cause: deep }) })
  },
  'in something that is no error': () => {
    throw sentence
  },
}

const formsOf = (value: string) => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
  // Within a token that also holds what came after it, the last digits differ.
  ...encoded(value)
    .map((text) => text.slice(0, Math.floor(text.length / 4) * 4 - 4))
    .filter((text) => text.length >= 8),
]
const forms = values.flatMap(formsOf)

/** The values that a text gives away. */
const found = (text: string) => forms.filter((value) => text.toLowerCase().includes(value.toLowerCase()))

it.each(
  Object.entries(calls).flatMap(([name, call]) =>
    Object.entries(echoes).map(([how, step]) => ({ name, how, call, step })),
  ),
)('what $name sent is said nowhere when it comes back $how', async ({ call, step }) => {
  const { records: heard, options } = hookRecorder()
  const { fetch } = scriptedFetch(step)
  const { client } = testClient({
    fetch,
    apiKey: canary.apiKey,
    headers: { 'x-gateway': canary.header },
    maxRetries: 1,
    ...options,
  })
  const sent = await sentBy(call)

  const error: unknown = await call(client).then(
    () => expect.fail('the call succeeded'),
    (thrown: unknown) => thrown,
  )

  const text = printed(error, ...heard)
  expect(found(text).filter((value) => sent.has(value.toLowerCase()))).toEqual([])
})

/** The values that a call carries, credentials included: what was not sent cannot be known for an echo. */
async function sentBy(call: (client: VerificationClient) => Promise<unknown>): Promise<Set<string>> {
  const { fetch, requests: given } = scriptedFetch(succeed())
  const { client } = testClient({ fetch, apiKey: canary.apiKey, headers: { 'x-gateway': canary.header } })
  await call(client).catch(() => {})
  const [request] = given
  const url = request?.url ?? ''
  const body = Buffer.from(request?.body ?? []).toString()
  const everything = [url, decodeURIComponent(url), body, ...(request?.headers.values() ?? [])].join('\n')
  const carried = (value: string) =>
    everything.includes(value) ||
    everything.includes(JSON.stringify(value).slice(1, -1)) ||
    (value === inBase64 && body.includes(canary.image))
  const sent = values.filter(carried)
  return new Set(sent.flatMap(formsOf).map((value) => value.toLowerCase()))
}

it('nothing of an answer that is refused is said: tokens, links, numbers of documents, portraits', async () => {
  const portrait = Buffer.from('canary portrait of a person '.repeat(40)).toString('base64')
  const secrets = [
    'st_canary_4f9a8b7c',
    'https://id.example.test/s/canary',
    'CANARY123456',
    'Canary Lovelace',
    portrait,
    '0.87654',
  ]
  const check = idCheck({
    score: 0.87654,
    data: { portrait, fields: { document_number: 'CANARY123456', full_name: 'Canary Lovelace' } },
  })
  const session = aSession({ session_token: 'st_canary_4f9a8b7c', url: 'https://id.example.test/s/canary' })
  const data = { ...aDecision({ decision: 'MAYBE', checks: [check] }), session }
  const bodies = [
    JSON.stringify({ success: true, data }),
    JSON.stringify({ success: true, data }).slice(0, -20),
    JSON.stringify({ data, success: false, error: null }),
    '{"data":{"full_name":"Canary Lovelace\\',
    `)]}'\n${JSON.stringify({ data })}`,
    `\ufeff${JSON.stringify({ data })}`,
    `<html><a href="https://id.example.test/s/canary">${portrait}</a> CANARY123456 st_canary_4f9a8b7c 0.87654</html>`,
    `<pre>${JSON.stringify(data, null, 2)}</pre>`,
  ]
  const { records: heard, options } = hookRecorder()
  const { fetch } = scriptedFetch(...bodies.map((body) => respond(200, body)))
  const { client } = testClient({ fetch, ...options })

  for (const body of bodies) {
    const error: unknown = await client.sessions.decision('sess_1').catch((thrown: unknown) => thrown)

    expect(error, body).toBeInstanceOf(InvalidResponseError)
    const text = printed(error, ...heard.splice(0))
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
    expect(text).not.toContain(portrait.slice(0, 60))
  }
})

it('what an error holds beside its message is not said by way of the message', async () => {
  const { records: heard, options } = hookRecorder()
  const error = { code: 'face_mismatch', message: 'Canary Lovelace is not X1234567', name: 'Canary Lovelace' }
  const { fetch } = scriptedFetch(respond(409, { success: false, error, data: { number: 'X1234567' } }))
  const { client } = testClient({ fetch, ...options })

  const thrown: unknown = await client.sessions.retrieve('s').catch((reason: unknown) => reason)

  expect((thrown as Error).message).toBe('[redacted] is not [redacted]')
  expect(printed(thrown, ...heard)).not.toMatch(/Canary|X1234567/)
})

it('details, errors of fields and headers stay readable, and are printed nowhere', async () => {
  const body = {
    success: false,
    error: { code: 'x', message: 'no', detail: 'canary-detail' },
    data: { errors: { email: 'canary-field' } },
  }
  const { fetch } = scriptedFetch(respond(400, body, { 'x-more': 'canary-header' }))
  const { client } = testClient({ fetch })

  const error: unknown = await client.sessions.retrieve('s').catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(ApiError)
  const { details, fieldErrors, headers } = error as ApiError
  expect([details.detail, fieldErrors.email, headers.get('x-more')]).toEqual([
    'canary-detail',
    'canary-field',
    'canary-header',
  ])
  expect(printed(error, { ...(error as ApiError) }, [error], { error })).not.toContain('canary')
})

it('the answer beside a result prints neither its headers nor its envelope', async () => {
  const { fetch } = scriptedFetch(
    respond(200, { success: true, data: aSession(), more: 'canary' }, { 'x-more': 'canary' }),
  )
  const { client } = testClient({ fetch })

  const { response } = await client.sessions.retrieve('s').withResponse()

  expect(response.headers.get('x-more')).toBe('canary')
  expect(printed(response)).not.toContain('canary')
})

it('what a call returns is the caller’s, and not touched', async () => {
  const session = aSession({
    session_token: 'st_secret',
    email: 'ada@example.test',
    url: 'https://id.example.test/s/1',
  })
  const { records: heard, options } = hookRecorder()
  const { fetch } = scriptedFetch(succeed(session))
  const { client } = testClient({ fetch, ...options })

  await expect(client.sessions.retrieve('s')).resolves.toEqual(session)
  expect(printed(...heard)).not.toMatch(/st_secret|ada@/)
})

it('a client prints none of its secrets', () => {
  const { client } = testClient({ apiKey: canary.apiKey, headers: { 'x-gateway': canary.header } })

  expect(found(printed(client, client.sessions, client.checks))).toEqual([])
})

it('a refused option does not repeat its value', () => {
  const make = (options: object) => () => testClient(options)

  for (const options of [
    { apiKey: `${canary.apiKey}\r\n` },
    { headers: { 'x-gateway': `${canary.header}\n` } },
    { headers: { [`${canary.apiKey}\n`]: 'x' } },
    { baseUrl: `http://${canary.apiKey}.example.test` },
  ]) {
    expect(make(options)).toThrow(/^(?!.*canary).*$/is)
  }
})

it('bad params name the field and not its value', async () => {
  const { client } = testClient()
  const bad = [
    client.sessions.create({ redirect_url: canary.text, vendor_data: canary.number as never }),
    client.checks.age({ dob: 19850412 as never, bands: [canary.text as never, {} as never] }),
    client.checks.liveness({ image: `${canary.image}!` }),
    client.checks.credential({ license_state: canary.text, license_number: '' } as never),
    client.request({ method: 'GET', path: `/${canary.text}` }),
    client.sessions.create({}, { idempotencyKey: canary.text }),
  ]

  for (const error of await Promise.allSettled(bad)) {
    expect(error.status).toBe('rejected')
    expect(found(printed((error as PromiseRejectedResult).reason))).toEqual([])
  }
})

it('keys that were used before a rotation are secrets still', async () => {
  const keys = [canary.apiKey, 'key_of_today']
  const { fetch } = scriptedFetch(
    respond(503, {}),
    respond(400, { error: { code: 'x', message: `not ${canary.apiKey}` } }),
  )
  const { client } = testClient({ fetch, apiKey: () => keys.shift() ?? '' })

  await expect(client.sessions.retrieve('s')).rejects.toMatchObject({ message: 'not [redacted]' })
})

it('a message keeps its own words', async () => {
  const message = 'workflow wf_1 is not active: at most 8 frames, status must be APPROVED or DECLINED'
  const { fetch } = scriptedFetch(respond(400, { error: { code: 'x', message } }))
  const { client } = testClient({ fetch })

  const update = client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  await expect(update).rejects.toMatchObject({ message })
})

it('a short value is masked as a word, and not within words', async () => {
  const { fetch } = scriptedFetch(respond(400, { error: { code: 'x', message: 'user users user-x' } }))
  const { client } = testClient({ fetch })

  await expect(client.sessions.create({ vendor_data: 'user' })).rejects.toMatchObject({
    message: '[redacted] users [redacted]-x',
  })
})
