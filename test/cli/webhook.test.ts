import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { webhookEventStatuses } from '../../src/contract/webhooks/events.ts'
import { createWebhookHandler, signWebhook, verifyWebhook, type WebhookEvent } from '../../src/webhooks.ts'
import { type Situation, temporaryFolder, type } from './terminal.ts'

const secret = 'whsec-canary-0123456789'
const to = 'http://localhost:3000/hooks'

/** An endpoint that handles webhooks as the package does, and what it processed. */
function endpoint() {
  const events: WebhookEvent[] = []
  const hear = (event: WebhookEvent) => void events.push(event)
  const handler = createWebhookHandler({ secret, on: {}, onUnhandled: hear, onTestEvent: hear })
  const situation: Situation = {
    env: { SVC_WEBHOOK_SECRET: secret },
    fetch: async (...call) => handler.fetch(new Request(...call)),
  }
  return { events, situation }
}

const answering = (status: number, body = ''): Situation => ({
  env: { SVC_WEBHOOK_SECRET: secret },
  fetch: async () => new Response(body, { status }),
})

it.each(Object.entries(webhookEventStatuses))(
  'sends %s, which the handler takes for a test',
  async (name, status) => {
    const { events, situation } = endpoint()

    const result = await type(`webhook send --to ${to} --type ${name}`, situation)

    expect(result).toMatchObject({ status: 0, stderr: '' })
    expect(events).toMatchObject([{ type: name, status, test: true }])
    expect(events[0]?.session_id).toMatch(/^sess_test_/)
    expect(events[0]?.decision?.decision).toBe(/APPROVED|DECLINED/.test(status) ? status : undefined)
  },
)

it('sends an event about a session that is named as a real one', async () => {
  const { events, situation } = endpoint()
  const command = `webhook send --to ${to} --type verification.approved --session-id sess_9 --vendor-data order-7`
  await type(command, situation)
  expect(events).toMatchObject([{ session_id: 'sess_9', vendor_data: 'order-7' }])
  expect(events[0]).not.toHaveProperty('test')
})

it('prints the headers that were sent, the status and the body of the answer, and never the secret', async () => {
  const { situation } = endpoint()
  const { stdout } = await type(`webhook send --to ${to} --type verification.expired`, situation)
  expect(stdout).toMatch(/x-svc-timestamp: \d+\n/)
  expect(stdout).toMatch(/x-svc-signature: [0-9a-f]{64}\n/)
  expect(stdout).toMatch(/x-svc-event-id: evt_/)
  expect(stdout).toContain('200 as it should')
  expect(stdout).not.toContain(secret)
})

it('sends a duplicate that is the first delivery again, byte for byte, and processed once', async () => {
  const sent: string[] = []
  const { events, situation } = endpoint()
  const command = `webhook send --to ${to} --type verification.approved --session-id sess_1 --duplicate`
  const { status } = await type(command, {
    ...situation,
    async fetch(input, init) {
      sent.push(JSON.stringify([init?.headers, init?.body]))
      return (situation.fetch ?? fetch)(input, init)
    },
  })
  expect([status, events.length, sent.length, new Set(sent).size]).toEqual([0, 1, 2, 1])
})

it.each([
  ['--bad-signature', 'signature_mismatch'],
  ['--late', 'timestamp_out_of_tolerance'],
])('sends a delivery with %s that is well formed, and refused for %s', async (flag, reason) => {
  let refusal: unknown
  const { status, stdout } = await type(
    `webhook send --to ${to} --type verification.approved ${flag} --json`,
    {
      env: { SVC_WEBHOOK_SECRET: secret },
      async fetch(_, init) {
        const { body, headers } = init as { body: string; headers: Record<string, string> }
        refusal = await verifyWebhook({ body, headers, secret }).catch((error) => error.reason)
        return new Response('no', { status: 400 })
      },
    },
  )
  expect([status, refusal]).toEqual([0, reason])
  expect(JSON.parse(stdout)).toEqual({
    as_it_should: true,
    expected: '400',
    headers: expect.objectContaining({ 'x-svc-signature': expect.any(String) }),
    body: expect.any(String),
    answers: [{ status: 400, body: 'no', asItShould: true }],
  })
})

it.each([
  ['', 200, 0],
  ['', 204, 0],
  ['', 302, 1],
  ['', 400, 1],
  ['', 500, 1],
  [' --duplicate', 409, 1],
  [' --bad-signature', 400, 0],
  [' --bad-signature', 200, 1],
  [' --bad-signature', 401, 1],
  [' --late', 200, 1],
  [' --late', 400, 0],
])('of a delivery%s answered %i the status is %i', async (flag, answered, expected) => {
  const { status } = await type(
    `webhook send --to ${to} --type verification.approved${flag}`,
    answered === 204
      ? { ...answering(200), fetch: async () => new Response(null, { status: 204 }) }
      : answering(answered),
  )
  expect(status).toBe(expected)
})

it('of a duplicate both answers count', async () => {
  for (const answers of [
    [200, 409],
    [500, 200],
  ]) {
    const { status } = await type(`webhook send --to ${to} --type verification.approved --duplicate`, {
      env: { SVC_WEBHOOK_SECRET: secret },
      fetch: async () => new Response('', { status: answers.shift() ?? 200 }),
    })
    expect(status).toBe(1)
  }
})

it('prints of an answer what fits, and nothing that a terminal would obey', async () => {
  const body = `\u001b]0;owned\u0007${'x'.repeat(10_000)}`
  const { stdout } = await type(`webhook send --to ${to} --type verification.approved`, answering(200, body))
  expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u)
  expect(stdout.length).toBeLessThan(3_000)
})

it('an endpoint that cannot be reached is status 3', async () => {
  const { status, stdout, stderr } = await type(
    'webhook send --to http://127.0.0.1:9/hooks --type verification.approved',
    { env: { SVC_WEBHOOK_SECRET: secret } },
  )
  expect([status, stdout, stderr]).toEqual([3, '', expect.stringContaining('gave no answer')])
})

it.each([
  'http://app.example/hooks',
  'app.example',
  'ftp://localhost/hooks',
  'https://user:word@app.example/',
])('sends no signed event to %s', async (url) => {
  const calls: unknown[] = []
  const { status } = await type(`webhook send --to ${url} --type verification.approved`, {
    env: { SVC_WEBHOOK_SECRET: secret },
    fetch: async (...call) => {
      calls.push(call)
      return new Response()
    },
  })
  expect([status, calls]).toEqual([2, []])
})

it.each(['send --to http://localhost/ --type verification.approved', 'verify --headers a --body -'])(
  'webhook %s says which setting is missing',
  async (command) => {
    const { status, stderr } = await type(`webhook ${command}`, { env: { SVC_WEBHOOK_SECRET: ' ' } })
    expect([status, stderr]).toEqual([2, expect.stringContaining('SVC_WEBHOOK_SECRET')])
  },
)

const signedAt = 1_767_225_600
const event = { event_id: 'evt_1', type: 'verification.approved', session_id: 'sess_1' }
const written = '{"event_id":"evt_1",\r\n "type":"verification.approved","session_id":"sess_1"}'

/** A delivery in files, and what judges it a minute after it was signed. */
async function kept(body: string | Uint8Array = JSON.stringify(event)) {
  const delivery = await signWebhook({ body, secret, timestamp: signedAt })
  const folder = await temporaryFolder()
  const lines = Object.entries(delivery.headers).map(([name, value]) => `${name.toUpperCase()}:  ${value}`)
  const bodyFile = join(folder, 'body')
  const headerFile = join(folder, 'headers')
  await writeFile(bodyFile, body)
  await writeFile(headerFile, ['POST /hooks HTTP/1.1', ...lines, ''].join('\r\n'))
  const situation: Situation = {
    env: { SVC_WEBHOOK_SECRET: secret },
    now: () => new Date((signedAt + 60) * 1000),
  }
  return { delivery, folder, bodyFile, headerFile, lines, situation }
}

it('says that a delivery is valid, and which event it is', async () => {
  const { bodyFile, headerFile, situation } = await kept()
  const result = await type(`webhook verify --header-file ${headerFile} --body ${bodyFile}`, situation)
  expect(result).toEqual({
    status: 0,
    stdout: 'valid: verification.approved, event evt_1, session sess_1\n',
    stderr: '',
  })
})

it('takes headers as JSON or as arguments, and a body from stdin', async () => {
  const { delivery, folder, lines, situation } = await kept()
  const stdin = delivery.body
  const file = join(folder, 'headers.json')
  await writeFile(file, JSON.stringify(delivery.headers))
  const fromFile = await type(`webhook verify --header-file ${file} --body - --json`, { ...situation, stdin })
  const args = ['webhook', 'verify', '--headers', ...lines, '--body', '-', '--json']
  const fromArguments = await type(args, { ...situation, stdin })
  expect(fromFile).toEqual(fromArguments)
  expect([fromFile.status, JSON.parse(fromFile.stdout)]).toEqual([
    0,
    { valid: true, ...event, bytes: JSON.stringify(event).length },
  ])
})

it('judges the age of a delivery by now, or by the time that is given', async () => {
  const { bodyFile, headerFile, situation } = await kept()
  const command = `webhook verify --header-file ${headerFile} --body ${bodyFile} --json`
  const late = await type(command, { ...situation, now: () => new Date((signedAt + 301) * 1000) })
  const then = await type(`${command} --at ${signedAt + 300}`, { ...situation, now: () => new Date() })
  expect([late.status, JSON.parse(late.stdout).reason]).toEqual([1, 'timestamp_out_of_tolerance'])
  expect(then.status).toBe(0)
})

it.each([
  ['a line break at its end', `${written}\n`, 'a line break was added at its end'],
  ['a byte order mark', `\ufeff${written}`, 'a byte order mark was put before it'],
  ['other bytes', `${written} `, null],
])(
  'refuses a body with %s by its exact bytes, and says what happened to it if it can',
  async (_, spoiled, hint) => {
    const { bodyFile, headerFile, situation } = await kept(written)
    await writeFile(bodyFile, spoiled)
    const result = await type(
      `webhook verify --header-file ${headerFile} --body ${bodyFile} --json`,
      situation,
    )
    expect([result.status, JSON.parse(result.stdout)]).toEqual([
      1,
      {
        valid: false,
        reason: 'signature_mismatch',
        message: expect.any(String),
        hint: hint && expect.stringContaining(hint),
        bytes: Buffer.byteLength(spoiled),
      },
    ])
  },
)

it('hashes a body that is no UTF-8 as it is', async () => {
  const { bodyFile, headerFile, situation } = await kept(Uint8Array.of(0xff, 0x00, 0x0d, 0x0a))
  const { status, stdout } = await type(
    `webhook verify --header-file ${headerFile} --body ${bodyFile}`,
    situation,
  )
  expect([status, stdout]).toEqual([1, expect.stringContaining('invalid_payload')])
})

it('refuses a header that is there twice', async () => {
  const { bodyFile, lines, situation } = await kept()
  const args = ['webhook', 'verify', '--body', bodyFile, '--headers', ...lines, lines[1] ?? '']
  const { status, stdout } = await type(args, situation)
  expect([status, stdout]).toEqual([1, expect.stringContaining('malformed_header')])
})

it.each([
  ['both --header-file - and --headers a', 'webhook verify --header-file - --headers a --body x'],
  ['no headers', 'webhook verify --body x'],
  ['two things from stdin', 'webhook verify --header-file - --body -'],
  ['a body that is not there', 'webhook verify --headers a --body /nonexistent/body'],
])('cannot verify with %s', async (_, command) => {
  const { status, stdout } = await type(command, { env: { SVC_WEBHOOK_SECRET: secret }, stdin: '{}' })
  expect([status, stdout]).toEqual([2, ''])
})

it('reads the secret from a file or from stdin too, which then counts, and never says it', async () => {
  const { bodyFile, headerFile, folder, situation } = await kept()
  const file = join(folder, 'settings.env')
  await writeFile(file, `# kept apart\nSVC_WEBHOOK_SECRET="${secret}"\n`)
  const command = `webhook verify --header-file ${headerFile} --body ${bodyFile}`
  const wrong = { SVC_WEBHOOK_SECRET: 'another-secret-0123' }
  const results = [
    await type(`${command} --env-from ${file}`, { ...situation, env: wrong }),
    await type(`${command} --env-from -`, { ...situation, env: {}, stdin: `SVC_WEBHOOK_SECRET=${secret}` }),
    await type(command, { ...situation, env: wrong }),
  ]
  expect(results.map(({ status }) => status)).toEqual([0, 0, 1])
  for (const { stdout, stderr } of results) expect(stdout + stderr).not.toContain(secret)
})
