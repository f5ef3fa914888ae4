// Texts that nothing else contains: cspell:ignore Ownb QZXJOWNC Qzxj qzxj qzxjhead qzxjid qzxjimage
// cspell:ignore qzxjnested qzxjowna qzxjtext qzxjtoken Ünal

import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { createVerificationManager, isSdkError, memoryStore } from '../../src/index.ts'
import { seed, some, tried, tries } from '../attack/size.ts'
import { issuer } from '../oidc/issuer.ts'
import { encodings } from '../support/canaries.ts'
import { aSession, images } from '../support/fixtures.ts'
import { hookRecorder } from '../support/hook-recorder.ts'
import { testOrg } from '../support/org-client.ts'
import { printed } from '../support/printed.ts'
import { respond, type Step, scriptedFetch } from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { testClient } from '../support/verification-client.ts'

/** What calls carry, and what only the service has. Each value contains letters that occur in no text of ours. */
const carried = {
  key: 'qzxjKvw-Key_1',
  header: 'qzxjhead; a=b',
  id: 'qzxjid+ä@example.test',
  text: 'qzxjtext "quoted" <b>\n of Mc Käs',
  nested: 'qzxjnested',
  image: 'qzxjimage within',
}
const own = ['qzxjowna', 'Qzxj Ownb-Ünal', 'QZXJOWNC']
const all = [...Object.values(carried), ...own]

/** Where a service may return a value. */
const places: Readonly<Record<string, (echo: string) => Step>> = {
  'in the message': (echo) => respond(400, { error: { code: 'x', message: echo } }),
  'in the code': (echo) => respond(400, { error: { code: echo, message: 'no' } }),
  'in the error of RFC 6749': (echo) => respond(401, { error: echo, error_description: echo }),
  'in details': (echo) => respond(409, { error: { code: 'x', message: 'no', echo, [echo]: all } }),
  'in field errors': (echo) =>
    respond(422, { error: { code: 'x', message: 'no' }, data: { errors: { [echo]: all, email: echo } } }),
  'in data of an error': (echo) => respond(422, { error: { code: 'x' }, data: { [echo]: echo } }),
  'in headers': (echo) =>
    respond(500, { error: { code: 'x' } }, { 'x-own': encodeURIComponent(echo), 'retry-after': 'qzxj' }),
  'in the content type': (echo) => respond(200, '{', { 'content-type': `qzxj/${encodeURIComponent(echo)}` }),
  'in a page': (echo) => respond(200, `<html>${echo}</html>`),
  'in a page of an error': (echo) => respond(502, `<html>${echo}</html>`),
  'in JSON without data': (echo) => respond(200, { metadata: { [echo]: all }, more: [echo] }),
  'in truncated JSON': (echo) => respond(200, JSON.stringify({ success: true, data: { echo } }).slice(0, -3)),
  'in data of another form': (echo) =>
    respond(200, {
      success: true,
      data: { ...aSession(), status: [echo], url: 7, checks: { [echo]: echo }, [echo]: echo },
    }),
  'in invalid UTF-8': (echo) => () => new Response(Buffer.concat([Buffer.from(echo), Buffer.of(0xff)])),
  'in an error of the connection': (echo) => () => {
    const deep = Object.assign(new Error(echo), { code: 'ECONNRESET', echo })
    throw Object.assign(new TypeError(echo, { cause: new AggregateError([deep], echo, { cause: deep }) }), {
      code: echo,
    })
  },
}

const { key: apiKey, header, id, text, nested } = carried
const image = new Uint8Array([...images.png, ...Buffer.from(carried.image)])

const calls: Readonly<Record<string, (options: object) => PromiseLike<unknown>>> = {
  'sessions.create': (options) =>
    testClient({ apiKey, headers: { 'x-gateway': header }, ...options }).client.sessions.create({
      vendor_data: text,
      metadata: { [nested]: nested },
    }),
  'sessions.retrieve': (options) =>
    testClient({ apiKey, ...options }).client.sessions.retrieve(id, { headers: { 'x-trace': header } }),
  'checks.liveness': (options) => testClient({ apiKey, ...options }).client.checks.liveness({ image }),
  'checks.credential': (options) =>
    testClient({ apiKey, auth: 'bearer', ...options }).client.checks.credential({
      license_state: 'CA',
      license_type: 'RN',
      license_number: id,
      full_name: text,
    }),
  'client.request': (options) =>
    testClient({ apiKey, ...options }).client.request({
      method: 'POST',
      path: '/api/v2/other',
      query: { q: text },
      body: { type: text, metadata: { [nested]: nested } },
    }),
  'members.add': (options) =>
    testOrg({ clientSecret: apiKey, ...options }).org.members.add({
      members: [{ email: id, last_name: text }],
    }),
  'oidc.refresh': (options) =>
    issuer()
      .client({ clientSecret: apiKey, ...options })
      .refresh(text),
}

/** Each place has the values alone, and within other texts. */
const others = fc.sample(fc.string({ unit: 'grapheme' }), { seed, numRuns: tries(1, 10) })
const echoes = Object.entries(places).flatMap(([place, respondWith]) => [
  [place, respondWith] as const,
  ...others.map((text) => [place, (echo: string) => respondWith(`${text} ${echo} ${text}`)] as const),
])

const forms = Object.values(encodings)

/** What the service returns: each value in every form. A value alone may be taken for a code, and all forms may not. */
const returned = [forms, ...some(forms, 1).map((form) => [form])].map((encodes) =>
  encodes.flatMap((encode) => all.map(encode)).join(' '),
)

/** The start of each value, in each form. The end of an encoded text depends on what follows. */
const needles = ['qzxj', ...all, ...forms.flatMap((encode) => all.map((value) => encode(value).slice(0, -4)))]
  .filter(({ length }) => length >= 4)
  .map((needle) => needle.toLowerCase())

it.each(Object.entries(calls))(
  '%s prints nothing that it carried or that the service returned, in any form, if errorDetail is safe',
  async (_, send) => {
    const found: string[] = []
    for (const echo of returned) {
      for (const [place, respondWith] of echoes) {
        const { records, options } = hookRecorder()
        const { fetch } = scriptedFetch(respondWith(echo))

        const ended = await Promise.resolve(send({ fetch, maxRetries: 0, errorDetail: 'safe', ...options })).then(
          () => undefined,
          (error: unknown) => error,
        )

        expect(ended === undefined || isSdkError(ended)).toBe(true)
        const output = printed(ended ?? '', ...records).toLowerCase()
        const leaked = needles.filter((needle) => output.includes(needle))
        if (leaked.length > 0) found.push(`${place}: ${leaked.join(', ')}`)
      }
    }
    expect(found).toEqual([])
    tried(returned.length * echoes.length, 'errors with canaries')
  },
)

it('what the service returned can be read, and is printed if errorDetail is full', async () => {
  const body = {
    error: { code: 'already_decided', message: 'qzxj decided', status: 'APPROVED' },
    data: { errors: { 'members.0.email': ['qzxj is taken'] } },
  }
  const { fetch } = scriptedFetch(respond(409, body))
  const errorWith = (errorDetail: 'safe' | 'full') =>
    testOrg({ fetch, errorDetail })
      .org.members.list()
      .catch((error: unknown) => error)

  const safe = await errorWith('safe')
  const full = await errorWith('full')

  expect(safe).toMatchObject({
    serviceMessage: 'qzxj decided',
    details: { status: 'APPROVED' },
    fieldErrors: { 'members.0.email': ['qzxj is taken'] },
  })
  expect(printed(safe)).not.toContain('qzxj')
  expect(String(safe)).toContain('read error.fieldErrors, or set SVC_ERROR_DETAIL=full')
  expect(String(full)).toContain('qzxj decided (members.0.email: qzxj is taken)')
})

it.each([
  ['the API key', { apiKey }, apiKey],
  ['a part of a longer id', { apiKey }, `req-${apiKey}-1`],
])('a request id that contains %s is not printed', async (_, options, id) => {
  const { fetch } = scriptedFetch(respond(404, { error: { code: 'not_found' } }, { 'x-request-id': id }))

  const error = await thrownBy(testClient({ fetch, ...options }).client.sessions.retrieve('sess_1'))

  expect(error).toMatchObject({ code: 'not_found' })
  expect(printed(error)).not.toContain(apiKey)
})

it('a request id that contains the access token of the call is not printed', async () => {
  const accessToken = 'qzxjtoken_1'
  const { client, others } = issuer()
  const headers = { 'x-request-id': accessToken }
  others.respondWith(() => Response.json({ error: { code: 'not_found' } }, { status: 404, headers }))

  const error = await thrownBy(client().request({ method: 'GET', path: '/me', accessToken }))

  expect(error).toMatchObject({ code: 'not_found' })
  expect(printed(error)).not.toContain(accessToken)
})

it.each(['078051120', 'members.078051120.email', 'members.0.qzxj', 'members.0.email.078051120'])(
  'a path of a field error that is not documented is not printed, because it may be a value: %s',
  async (path) => {
    const body = {
      error: { code: 'validation_error' },
      data: { errors: { [path]: 'x', 'members.0.email': 'x' } },
    }
    const { fetch } = scriptedFetch(respond(400, body))
    const { org } = testOrg({ fetch, errorDetail: 'safe' })

    const error = await thrownBy(org.members.add({ members: [{ email: 'ada@example.test' }] }))

    expect(String(error)).toContain('Fields: members.0.email.')
    expect(printed(error)).not.toMatch(/078051120|qzxj/)
  },
)

it('the reason of an abort is not printed by a client with errorDetail safe, whatever the environment says', async () => {
  vi.stubEnv('SVC_ERROR_DETAIL', 'full')
  const signal = AbortSignal.abort(new Error('qzxj left'))
  const waiting = new AbortController()
  const open = scriptedFetch(() => {
    waiting.abort(new Error('qzxj left'))
    return Response.json({ success: true, data: aSession(), error: null })
  })
  const options = { errorDetail: 'safe', fetch: scriptedFetch().fetch } as const
  const { client } = testClient(options)
  const { org } = testOrg(options)

  for (const call of [
    client.sessions.retrieve('sess_1', { signal }),
    testClient({ ...options, fetch: open.fetch }).client.sessions.waitForDecision('sess_1', {
      signal: waiting.signal,
    }),
    org.members.addAll([{ email: 'ada@example.test' }], { signal }),
    org.members.inviteAll(['vmem_1'], { signal }),
    createVerificationManager({ client, store: memoryStore(), session: {} }).start('u', {}, { signal }),
  ]) {
    const error = await thrownBy(Promise.resolve(call))

    expect(error).toMatchObject({ name: 'AbortedError', original: { message: 'qzxj left' } })
    expect(printed(error)).not.toContain('qzxj')
  }
})
