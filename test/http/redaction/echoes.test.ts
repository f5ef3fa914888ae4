import { expect, it } from 'vitest'
import { InvalidResponseError } from '../../../src/errors.ts'
import type { VerificationClient } from '../../../src/verification.ts'
import { aDecision, aSession, idCheck } from '../../support/fixtures.ts'
import { hookRecorder } from '../../support/hook-recorder.ts'
import { printed } from '../../support/printed.ts'
import { respond, type Step, scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { testClient } from '../../support/verification-client.ts'
import { canary, encoded, formsOf, image, imageInBase64, leaksIn, sentence, values } from './canaries.ts'

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

/** All ways in which the service may return the values. */
const echoes: Readonly<Record<string, Step>> = {
  'in the message': respond(400, { success: false, error: { code: 'validation_error', message: sentence } }),
  'in upper case': respond(400, { error: { code: 'x', message: sentence.toUpperCase() } }),
  'encoded for a URL': respond(400, {
    error: { code: 'x', message: values.map(encodeURIComponent).join(' ') },
  }),
  'as JSON in the message': respond(400, { error: { code: 'x', message: JSON.stringify(values) } }),
  'in base64 and in hexadecimal in the message': respond(400, {
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
  'in field errors': respond(422, {
    error: { code: 'x', message: 'no' },
    data: { errors: { email: values } },
  }),
  'in headers': respond(
    400,
    { error: { code: 'x', message: 'no' } },
    { 'x-request-id': canary.apiKey, 'x-echo': canary.token, 'retry-after': canary.licence },
  ),
  'in the request id of a success': respond(200, '<html>', { 'x-request-id': `req_${canary.apiKey}` }),
  'escaped in a page': respond(
    200,
    `<html><body>Cannot POST ${sentence.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)}`,
  ),
  'unchanged in a page': respond(200, `<html><body>${sentence}</body></html>`),
  'in plain text': respond(200, sentence),
  'in truncated JSON': respond(200, JSON.stringify({ success: true, data: values }).slice(0, -9)),
  'in JSON that ends within an escape': respond(200, `{"echo":${JSON.stringify(sentence).slice(0, -1)}\\`),
  'in JSON of another form': respond(200, { echo: values }),
  'as member names': respond(200, {
    data: undefined,
    ...Object.fromEntries(values.map((value) => [value, 1])),
  }),
  'in invalid UTF-8': () => new Response(Buffer.concat([Buffer.from(sentence), Buffer.of(0xff)])),
  'in success: false without a code': respond(200, { success: false, error: { message: sentence } }),
  'in the error of a broken connection': () => {
    const deep = Object.assign(new Error(sentence), { code: 'ECONNRESET', body: sentence, headers: values })
    throw new TypeError(sentence, { cause: new Error(sentence, { cause: deep }) })
  },
  'as a thrown string': () => {
    throw sentence
  },
}

it.each(
  Object.entries(calls).flatMap(([name, call]) =>
    Object.entries(echoes).map(([how, step]) => ({ name, how, call, step })),
  ),
)('never prints a value that $name sent if the service returns it $how', async ({ call, step }) => {
  const { records, options } = hookRecorder()
  const { fetch } = scriptedFetch(step)
  const { client } = testClient({
    fetch,
    apiKey: canary.apiKey,
    headers: { 'x-gateway': canary.header },
    maxRetries: 1,
    ...options,
  })
  const sent = await sentBy(call)

  const error = await thrownBy(call(client))

  const text = printed(error, ...records)
  expect(leaksIn(text).filter((value) => sent.has(value.toLowerCase()))).toEqual([])
})

/** The forms of all values that a call sends, including its credentials. Only these can be recognized in an echo. */
async function sentBy(call: (client: VerificationClient) => Promise<unknown>): Promise<Set<string>> {
  const { fetch, requests } = scriptedFetch(succeed())
  const { client } = testClient({ fetch, apiKey: canary.apiKey, headers: { 'x-gateway': canary.header } })
  await call(client).catch(() => {})
  const [request] = requests
  const url = request?.url ?? ''
  const body = Buffer.from(request?.body ?? []).toString()
  const everything = [url, decodeURIComponent(url), body, ...(request?.headers.values() ?? [])].join('\n')
  const carried = (value: string) =>
    everything.includes(value) ||
    everything.includes(JSON.stringify(value).slice(1, -1)) ||
    (value === imageInBase64 && body.includes(canary.image))
  const sent = values.filter(carried)
  return new Set(sent.flatMap(formsOf).map((value) => value.toLowerCase()))
}

it('never prints a token, link, document number, name, score or portrait of a rejected response', async () => {
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
  const { records, options } = hookRecorder()
  const { fetch } = scriptedFetch(...bodies.map((body) => respond(200, body)))
  const { client } = testClient({ fetch, ...options })

  for (const body of bodies) {
    const error = await thrownBy(client.sessions.decision('sess_1'))

    expect(error, body).toBeInstanceOf(InvalidResponseError)
    const text = printed(error, ...records.splice(0))
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
    expect(text).not.toContain(portrait.slice(0, 60))
  }
})

it('masks in a message what other members of the response contain', async () => {
  const { records, options } = hookRecorder()
  const error = { code: 'face_mismatch', message: 'Canary Lovelace is not X1234567', name: 'Canary Lovelace' }
  const { fetch } = scriptedFetch(respond(409, { success: false, error, data: { number: 'X1234567' } }))
  const { client } = testClient({ fetch, ...options })

  const thrown = await thrownBy(client.sessions.retrieve('s'))

  expect((thrown as Error).message).toContain(': [redacted] is not [redacted] (request')
  expect(printed(thrown, ...records)).not.toMatch(/Canary|X1234567/)
})

it('masks a key that was used before a rotation', async () => {
  const keys = [canary.apiKey, 'key_of_today']
  const { fetch } = scriptedFetch(
    respond(503, {}),
    respond(400, { error: { code: 'x', message: `not ${canary.apiKey}` } }),
  )
  const { client } = testClient({ fetch, apiKey: () => keys.shift() ?? '' })

  await expect(client.sessions.retrieve('s')).rejects.toThrow(': not [redacted] (request')
})

it('keeps a message without values of the call unchanged', async () => {
  const message = 'workflow wf_1 is not active: at most 8 frames, status must be APPROVED or DECLINED'
  const { fetch } = scriptedFetch(respond(400, { error: { code: 'x', message } }))
  const { client } = testClient({ fetch })

  const update = client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  await expect(update).rejects.toThrow(`: ${message} (request`)
})

it('masks a short value only as a whole word', async () => {
  const { fetch } = scriptedFetch(respond(400, { error: { code: 'x', message: 'user users user-x' } }))
  const { client } = testClient({ fetch })

  await expect(client.sessions.create({ vendor_data: 'user' })).rejects.toThrow(
    ': [redacted] users [redacted]-x (request',
  )
})
