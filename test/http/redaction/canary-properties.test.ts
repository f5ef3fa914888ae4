import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isSdkError } from '../../../src/errors.ts'
import { issuer } from '../../oidc/issuer.ts'
import { aSession } from '../../support/fixtures.ts'
import { hookRecorder } from '../../support/hook-recorder.ts'
import { testOrg } from '../../support/org-client.ts'
import { printed } from '../../support/printed.ts'
import { respond, type Step, scriptedFetch } from '../../support/scripted-fetch.ts'
import { testClient } from '../../support/verification-client.ts'

/** Letters that occur in no word of the package's own texts. */
const core = fc
  .string({ unit: fc.constantFrom(...'qzxjkvw'), minLength: 8, maxLength: 14 })
  .map((text) => `qz${text}`)
const around = fc.string({
  unit: fc.constantFrom(...' \t&<>"\'\\/+%=?#:;,.-_()@{}[]äß漢🙂1', 'of', 'Mc'),
  maxLength: 12,
})
const canary = fc.tuple(around, core, around).map(([before, text, after]) => before + text + after)
/** A value of a header, in which not every sign may be sent. */
const plainCanary = fc
  .tuple(core, fc.constantFrom('', '-1', ' of a person', '; a=b', '/+=', "'"))
  .map(([text, after]) => text + after)

const escapeHtml = (text: string) => text.replace(/[&<>"'/]/g, (sign) => `&#${sign.charCodeAt(0)};`)
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)

/** The forms in which a service may return a value. */
const forms: Readonly<Record<string, (text: string) => string>> = {
  unchanged: (text) => text,
  'in upper case': (text) => text.toUpperCase(),
  'in JSON': inJson,
  'in ASCII JSON': (text) =>
    inJson(text).replace(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'in JSON in JSON': (text) => inJson(inJson(text)),
  'in a URL': encodeURIComponent,
  'in a form': (text) => new URLSearchParams([['', text]]).toString().slice(1),
  'in a page': escapeHtml,
  'in JSON in a page': (text) => escapeHtml(inJson(text)),
  'in a page in JSON': (text) => inJson(escapeHtml(text)),
  'in single quotes': (text) => `{'value': '${text}'}`,
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64url': (text) => Buffer.from(text).toString('base64url'),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
  'in the base64 of a longer text': (text) => Buffer.from(`id=${text};`).toString('base64'),
}

/** Where a service may return what was sent. `own` are values that only the service has. */
const places: Readonly<
  Record<string, (echo: string, sent: readonly string[], own: readonly string[]) => Step>
> = {
  'in the message': (echo) => respond(400, { error: { code: 'x', message: `no ${echo}, sorry` } }),
  'in a message without spaces': (echo) => respond(422, { error: { code: 'x', message: `(${echo})` } }),
  'in the code': (echo) => respond(400, { error: { code: echo, message: 'no' } }),
  'in the error of RFC 6749': (echo) => respond(401, { error: echo, error_description: echo }),
  'in details': (echo, sent, own) =>
    respond(409, { error: { code: 'x', message: own.join(' '), echo, sent, own, [echo]: own } }),
  'in field errors': (echo, sent) =>
    respond(422, { error: { code: 'x', message: 'no' }, data: { errors: { [echo]: sent } } }),
  'in headers': (echo, sent, own) =>
    respond(
      500,
      { error: { code: 'x', message: 'no' } },
      {
        'x-request-id': Buffer.from(sent[0] ?? '').toString('base64url'),
        'x-own': Buffer.from(own.join()).toString('base64'),
        'content-type': `text/${encodeURIComponent(echo)}`,
      },
    ),
  'in a page': (echo, _, own) => respond(200, `<html>${echo} ${own.join(' ')}</html>`),
  'in a page of an error': (echo, _, own) => respond(502, `<html>${echo} ${own.join(' ')}</html>`),
  'in JSON without data': (echo, sent, own) =>
    respond(200, { metadata: { [echo]: sent }, own, more: [echo] }),
  'in truncated JSON': (echo, sent, own) =>
    respond(200, JSON.stringify({ success: true, data: { echo, sent, own } }).slice(0, -7)),
  'in data of another form': (echo, sent, own) =>
    respond(200, {
      success: true,
      data: { ...aSession(), features: own, status: sent, url: echo, checks: own[0] },
    }),
  'in invalid UTF-8': (echo, _, own) => () =>
    new Response(Buffer.concat([Buffer.from(echo + own), Buffer.of(0xff)])),
  'in an error of the connection': (echo, sent, own) => () => {
    const deep = Object.assign(new Error(echo), { code: 'ECONNRESET', sent, own })
    throw new TypeError(`failed ${echo}`, { cause: new AggregateError([deep], echo, { cause: deep }) })
  },
}

interface Values {
  readonly id: string
  readonly key: string
  readonly header: string
  readonly text: string
  readonly free: unknown
}

interface Sent {
  readonly send: (values: Values, options: object) => PromiseLike<unknown>
  /** The values that the call carries. */
  readonly carried: (values: Values) => readonly string[]
}

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [
    ...(Array.isArray(value) ? [] : [name]),
    ...textsIn(member),
  ])
}

const calls: Readonly<Record<string, Sent>> = {
  'sessions.create': {
    send: ({ key, header, text, free }, options) =>
      testClient({ apiKey: key, headers: { 'x-gateway': header }, ...options }).client.sessions.create({
        vendor_data: text,
        metadata: { free } as object,
      }),
    carried: ({ key, header, text, free }) => [key, header, text, ...textsIn(free)],
  },
  'sessions.retrieve': {
    send: ({ key, id, header }, options) =>
      testClient({ apiKey: key, ...options }).client.sessions.retrieve(id, {
        headers: { 'x-trace': header },
      }),
    carried: ({ key, id, header }) => [key, id, header],
  },
  'checks.credential': {
    send: ({ key, text, id }, options) =>
      testClient({ apiKey: key, auth: 'bearer', ...options }).client.checks.credential({
        license_state: 'CA',
        license_type: 'RN',
        license_number: id,
        full_name: text,
      }),
    carried: ({ key, text, id }) => [key, text, id],
  },
  'client.request': {
    send: ({ key, text, free }, options) =>
      testClient({ apiKey: key, ...options }).client.request({
        method: 'POST',
        path: '/api/v2/other',
        query: { q: text },
        body: { type: text, metadata: free },
      }),
    carried: ({ key, text, free }) => [key, text, ...textsIn(free)],
  },
  'members.add': {
    send: ({ key, text, header }, options) =>
      testOrg({ clientSecret: key, headers: { 'x-gateway': header }, ...options }).org.members.add({
        members: [{ email: `${header.slice(0, 8)}@example.test`, last_name: text }],
      }),
    carried: ({ key, text, header }) => [key, text, header],
  },
  'oidc.refresh': {
    send: ({ key, text }, options) =>
      issuer()
        .client({ clientSecret: key, ...options })
        .refresh(text),
    carried: ({ key, text }) => [key, text],
  },
}

const aText = fc.oneof(canary, canary, fc.constantFrom('APPROVED', 'abc', ''))
const aName = fc.oneof(canary, fc.constantFrom('type', 'role', 'status', 'grant_type', 'name', 'metadata'))
const { free } = fc.letrec<{ free: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(aText, fc.boolean(), fc.constant(null)),
  free: fc.oneof(
    { maxDepth: 9, depthSize: 'large' },
    tie('leaf'),
    fc.array(tie('free'), { maxLength: 3 }),
    fc.dictionary(aName, tie('free'), { maxKeys: 3 }),
  ),
}))

const aCase = fc.record({
  call: fc.constantFrom(...Object.keys(calls)),
  place: fc.constantFrom(...Object.keys(places)),
  form: fc.constantFrom(...Object.keys(forms)),
  values: fc.record({ id: canary, key: plainCanary, header: plainCanary, text: canary, free }),
  own: fc.array(canary, { minLength: 1, maxLength: 4 }),
})

const cores = (texts: readonly string[]) => texts.flatMap((text) => text.match(/qz[qzxjkvw]{8,14}/g) ?? [])

/** The form that a value has in what was returned, if it is long enough not to occur by chance. */
const needles = (texts: readonly string[], form: (text: string) => string) =>
  cores(texts)
    .flatMap((text) => [text, form(text).slice(0, -4)])
    .filter(({ length }) => length >= 6)

it('no value that a call carried or a response contained appears in an error, an event or a record', async () => {
  await fc.assert(
    fc.asyncProperty(aCase, async ({ call, place, form, values, own }) => {
      const sent = calls[call] as Sent
      const write = forms[form] as (text: string) => string
      const carried = sent.carried(values)
      const step = (places[place] as (typeof places)[string])(carried.map(write).join(' '), carried, own)
      const { records, options } = hookRecorder()
      const { fetch } = scriptedFetch(step)

      const ended = await Promise.resolve(sent.send(values, { fetch, maxRetries: 0, ...options })).then(
        () => undefined,
        (error: unknown) => error,
      )

      expect(ended === undefined || isSdkError(ended)).toBe(true)
      const text = printed(ended ?? '', ...records).toLowerCase()
      const found = [...needles(carried, write), ...cores(own)].filter((one) =>
        text.includes(one.toLowerCase()),
      )
      expect(found).toEqual([])
    }),
    { numRuns: 1500, seed: 19 },
  )
}, 60_000)
