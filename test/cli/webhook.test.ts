import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { webhookEventStatuses } from '../../src/contract/webhooks/events.ts'
import { createWebhookHandler, signWebhook, verifyWebhook, type WebhookEvent } from '../../src/webhooks.ts'
import { serveListener } from '../support/serve-listener.ts'
import { type CliOptions, runCli, temporaryFolder } from './terminal.ts'

const secret = 'whsec-canary-0123456789'
const to = 'http://localhost:3000/hooks'

/** An endpoint with the handler of this package, and the events that it handled. */
function endpoint() {
  const events: WebhookEvent[] = []
  const record = (event: WebhookEvent) => void events.push(event)
  const handler = createWebhookHandler({ secret, onUnhandled: record, onTestEvent: record })
  const options: CliOptions = {
    env: { SVC_WEBHOOK_SECRET: secret },
    fetch: async (...call) => handler.fetch(new Request(...call)),
  }
  return { events, options }
}

const respondWith = (status: number, body = ''): CliOptions => ({
  env: { SVC_WEBHOOK_SECRET: secret },
  fetch: async () => new Response(body, { status }),
})

it.each(Object.entries(webhookEventStatuses))('sends %s as a test event', async (name, status) => {
  const { events, options } = endpoint()

  const result = await runCli(`webhook send --to ${to} --type ${name}`, options)

  expect(result).toMatchObject({ status: 0, stderr: '' })
  expect(events).toMatchObject([{ type: name, status, test: true }])
  expect(events[0]?.session_id).toMatch(/^sess_test_/)
  expect(events[0]?.decision?.decision).toBe(/APPROVED|DECLINED/.test(status) ? status : undefined)
})

it('sends an event without the test marker if --session-id is given', async () => {
  const { events, options } = endpoint()
  const command = `webhook send --to ${to} --type verification.approved --session-id sess_9 --vendor-data order-7`
  await runCli(command, options)
  expect(events).toMatchObject([{ session_id: 'sess_9', vendor_data: 'order-7' }])
  expect(events[0]).not.toHaveProperty('test')
})

it('prints the request headers and the response status, and never the secret', async () => {
  const { options } = endpoint()
  const { stdout } = await runCli(`webhook send --to ${to} --type verification.expired`, options)
  expect(stdout).toMatch(/x-svc-timestamp: \d+\n/)
  expect(stdout).toMatch(/x-svc-signature: [0-9a-f]{64}\n/)
  expect(stdout).toMatch(/x-svc-event-id: evt_/)
  expect(stdout).toContain('200 as expected')
  expect(stdout).not.toContain(secret)
})

it('sends a duplicate with identical bytes and headers, which the handler processes once', async () => {
  const sent: string[] = []
  const { events, options } = endpoint()
  const command = `webhook send --to ${to} --type verification.approved --session-id sess_1 --duplicate`
  const { status } = await runCli(command, {
    ...options,
    async fetch(input, init) {
      sent.push(JSON.stringify([init?.headers, init?.body]))
      return (options.fetch ?? fetch)(input, init)
    },
  })
  expect([status, events.length, sent.length, new Set(sent).size]).toEqual([0, 1, 2, 1])
})

it.each([
  ['--bad-signature', 'signature_mismatch'],
  ['--late', 'timestamp_out_of_tolerance'],
])('sends with %s a well-formed delivery that is rejected with %s', async (flag, reason) => {
  let rejection: unknown
  const { status, stdout } = await runCli(`webhook send --to ${to} --type verification.approved ${flag} --json`, {
    env: { SVC_WEBHOOK_SECRET: secret },
    async fetch(_, init) {
      const { body, headers } = init as { body: string; headers: Record<string, string> }
      rejection = await verifyWebhook({ body, headers, secret }).catch((error) => error.reason)
      return new Response('no', { status: 400 })
    },
  })
  expect([status, rejection]).toEqual([0, reason])
  expect(JSON.parse(stdout)).toEqual({
    ok: true,
    expected: '400',
    headers: expect.objectContaining({ 'x-svc-signature': expect.any(String) }),
    body: expect.any(String),
    responses: [{ status: 400, body: 'no', ok: true }],
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
])('a delivery%s with the response %i ends with status %i', async (flag, responseStatus, expected) => {
  const { status } = await runCli(
    `webhook send --to ${to} --type verification.approved${flag}`,
    responseStatus === 204
      ? { ...respondWith(200), fetch: async () => new Response(null, { status: 204 }) }
      : respondWith(responseStatus),
  )
  expect(status).toBe(expected)
})

it('names the command that explains the reason of an unexpected response', async () => {
  const command = `webhook send --to ${to} --type verification.approved`
  const body = '{"outcome":"rejected","reason":"signature_mismatch"}'
  const { stderr } = await runCli(command, respondWith(400, body))
  expect(stderr).toBe('For details, run: npx identity-service-sdk explain signature_mismatch\n')
})

it.each([
  [502, '<html>'],
  [503, '{"outcome":"failed"}'],
  [400, '{"reason":"rm"}'],
])('points to the log of the app if a response gives no reason: %i %s', async (status, body) => {
  const command = `webhook send --to ${to} --type verification.approved`
  const { stderr } = await runCli(command, respondWith(status, body))
  expect(stderr).toBe(`Your app, not the service, responded with ${status}. Look at the log of your app.\n`)
})

it('checks the responses to both deliveries of a duplicate', async () => {
  for (const statuses of [
    [200, 409],
    [500, 200],
  ]) {
    const { status } = await runCli(`webhook send --to ${to} --type verification.approved --duplicate`, {
      env: { SVC_WEBHOOK_SECRET: secret },
      fetch: async () => new Response('', { status: statuses.shift() ?? 200 }),
    })
    expect(status).toBe(1)
  }
})

it('cuts off a long response body and prints none of its control characters', async () => {
  const body = `\u001b]0;owned\u0007${'x'.repeat(10_000)}`
  const { stdout } = await runCli(`webhook send --to ${to} --type verification.approved`, respondWith(200, body))
  expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u)
  expect(stdout.length).toBeLessThan(3_000)
})

it('reads only the start of a response body that does not end', async () => {
  let sentBytes = 0
  const { url } = await serveListener((_, response) => {
    const more = () => {
      sentBytes += 1000
      if (response.write('x'.repeat(1000))) setImmediate(more)
      else response.once('drain', more)
    }
    more()
    response.once('close', () => response.removeAllListeners('drain'))
  })
  const { status, stdout } = await runCli(`webhook send --to ${url} --type verification.approved --json`, {
    env: { SVC_WEBHOOK_SECRET: secret },
  })
  expect([status, JSON.parse(stdout).responses]).toEqual([0, [{ status: 200, body: 'x'.repeat(2000), ok: true }]])
  expect(sentBytes).toBeLessThan(2 ** 23)
})

it('ends with status 3 and names the origin if the endpoint cannot be reached', async () => {
  const { status, stdout, stderr } = await runCli(
    'webhook send --to http://127.0.0.1:9/hooks --type verification.approved',
    { env: { SVC_WEBHOOK_SECRET: secret } },
  )
  expect([status, stdout, stderr]).toEqual([3, '', expect.stringContaining('http://127.0.0.1:9 did not respond: ')])
})

it.each(['http://app.example/hooks', 'app.example', 'ftp://localhost/hooks', 'https://user:word@app.example/'])(
  'sends no signed event to the URL %s',
  async (url) => {
    const calls: unknown[] = []
    const { status } = await runCli(`webhook send --to ${url} --type verification.approved`, {
      env: { SVC_WEBHOOK_SECRET: secret },
      fetch: async (...call) => {
        calls.push(call)
        return new Response()
      },
    })
    expect([status, calls]).toEqual([2, []])
  },
)

it.each(['send --to http://localhost/ --type verification.approved', 'verify --headers a --body -'])(
  'webhook %s names the setting that is missing',
  async (command) => {
    const { status, stderr } = await runCli(`webhook ${command}`, { env: { SVC_WEBHOOK_SECRET: ' ' } })
    expect([status, stderr]).toEqual([2, expect.stringContaining('SVC_WEBHOOK_SECRET')])
  },
)

const signedAt = 1_767_225_600
const event = { event_id: 'evt_1', type: 'verification.approved', session_id: 'sess_1' }
const written = '{"event_id":"evt_1",\r\n "type":"verification.approved","session_id":"sess_1"}'

/** A delivery in files, and options that verify it a minute after it was signed. */
async function savedDelivery(body: string | Uint8Array = JSON.stringify(event)) {
  const delivery = await signWebhook({ body, secret, timestamp: signedAt })
  const folder = await temporaryFolder()
  const lines = Object.entries(delivery.headers).map(([name, value]) => `${name.toUpperCase()}:  ${value}`)
  const bodyFile = join(folder, 'body')
  const headerFile = join(folder, 'headers')
  await writeFile(bodyFile, body)
  await writeFile(headerFile, ['POST /hooks HTTP/1.1', ...lines, ''].join('\r\n'))
  const options: CliOptions = {
    env: { SVC_WEBHOOK_SECRET: secret },
    now: () => new Date((signedAt + 60) * 1000),
  }
  return { delivery, folder, bodyFile, headerFile, lines, options }
}

it('reports a valid delivery with its event', async () => {
  const { bodyFile, headerFile, options } = await savedDelivery()
  const result = await runCli(`webhook verify --header-file ${headerFile} --body ${bodyFile}`, options)
  expect(result).toEqual({
    status: 0,
    stdout: 'valid: verification.approved, event evt_1, session sess_1\n',
    stderr: '',
  })
})

it('accepts headers as JSON or as arguments, and a body from stdin', async () => {
  const { delivery, folder, lines, options } = await savedDelivery()
  const stdin = delivery.body
  const file = join(folder, 'headers.json')
  await writeFile(file, JSON.stringify(delivery.headers))
  const fromFile = await runCli(`webhook verify --header-file ${file} --body - --json`, { ...options, stdin })
  const args = ['webhook', 'verify', '--headers', ...lines, '--body', '-', '--json']
  const fromArguments = await runCli(args, { ...options, stdin })
  expect(fromFile).toEqual(fromArguments)
  expect([fromFile.status, JSON.parse(fromFile.stdout)]).toEqual([
    0,
    { valid: true, ...event, bytes: JSON.stringify(event).length },
  ])
})

it('compares the timestamp with the current time, or with --at', async () => {
  const { bodyFile, headerFile, options } = await savedDelivery()
  const command = `webhook verify --header-file ${headerFile} --body ${bodyFile} --json`
  const late = await runCli(command, { ...options, now: () => new Date((signedAt + 301) * 1000) })
  const then = await runCli(`${command} --at ${signedAt + 300}`, { ...options, now: () => new Date() })
  expect([late.status, JSON.parse(late.stdout).reason]).toEqual([1, 'timestamp_out_of_tolerance'])
  expect(then.status).toBe(0)
})

it.each([
  ['a line break at its end', `${written}\n`, 'a line break was added at the end'],
  ['a byte order mark', `\ufeff${written}`, 'a byte order mark was added at the start'],
  ['an added space', `${written} `, null],
])('rejects a body with %s, and names the change if it recognizes it', async (_, changed, hint) => {
  const { bodyFile, headerFile, options } = await savedDelivery(written)
  await writeFile(bodyFile, changed)
  const result = await runCli(`webhook verify --header-file ${headerFile} --body ${bodyFile} --json`, options)
  expect([result.status, JSON.parse(result.stdout)]).toEqual([
    1,
    {
      valid: false,
      reason: 'signature_mismatch',
      message: expect.any(String),
      hint: hint && expect.stringContaining(hint),
      bytes: Buffer.byteLength(changed),
    },
  ])
})

it('verifies the bytes of a body that is not UTF-8', async () => {
  const { bodyFile, headerFile, options } = await savedDelivery(Uint8Array.of(0xff, 0x00, 0x0d, 0x0a))
  const { status, stdout } = await runCli(`webhook verify --header-file ${headerFile} --body ${bodyFile}`, options)
  expect([status, stdout]).toEqual([1, expect.stringContaining('invalid_payload')])
})

it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'get'])(
  'accepts a delivery with a header called %s',
  async (name) => {
    const { bodyFile, lines, options, folder, delivery } = await savedDelivery()
    const file = join(folder, 'headers.json')
    await writeFile(file, JSON.stringify(delivery.headers).replace('{', `{"${name}":"x",`))
    const command = ['webhook', 'verify', '--body', bodyFile]
    const results = [
      await runCli([...command, '--headers', `${name}: x`, ...lines], options),
      await runCli([...command, '--header-file', file], options),
    ]
    expect(results.map(({ status, stderr }) => [status, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
  },
)

it('rejects a header that occurs twice', async () => {
  const { bodyFile, lines, options } = await savedDelivery()
  const args = ['webhook', 'verify', '--body', bodyFile, '--headers', ...lines, lines[1] ?? '']
  const { status, stdout, stderr } = await runCli(args, options)
  expect([status, stdout]).toEqual([1, expect.stringContaining('malformed_header')])
  expect(stderr).toBe('For details, run: npx identity-service-sdk explain malformed_header\n')
})

it.each([
  ['both --header-file - and --headers a', 'webhook verify --header-file - --headers a --body x'],
  ['no headers', 'webhook verify --body x'],
  ['two inputs from stdin', 'webhook verify --header-file - --body -'],
])('rejects the arguments with status 2: %s', async (_, command) => {
  const { status, stdout } = await runCli(command, { env: { SVC_WEBHOOK_SECRET: secret }, stdin: '{}' })
  expect([status, stdout]).toEqual([2, ''])
})

it('reads the secret from --env-from first, and never prints it', async () => {
  const { bodyFile, headerFile, folder, options } = await savedDelivery()
  const file = join(folder, 'settings.env')
  await writeFile(file, `# test\nSVC_WEBHOOK_SECRET="${secret}"\n`)
  const command = `webhook verify --header-file ${headerFile} --body ${bodyFile}`
  const wrong = { SVC_WEBHOOK_SECRET: 'another-secret-0123' }
  const results = [
    await runCli(`${command} --env-from ${file}`, { ...options, env: wrong }),
    await runCli(`${command} --env-from -`, { ...options, env: {}, stdin: `SVC_WEBHOOK_SECRET=${secret}` }),
    await runCli(command, { ...options, env: wrong }),
  ]
  expect(results.map(({ status }) => status)).toEqual([0, 0, 1])
  for (const { stdout, stderr } of results) expect(stdout + stderr).not.toContain(secret)
})
