import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import { runConcurrently, setting } from './random-stream.ts'

const sessions = setting('CAMPAIGN_SESSIONS', 2000)
const atOnce = 64

it(`creates and completes ${sessions} sessions, and delivers one webhook for each`, async () => {
  const emulator = createEmulator({ seed: 'load' })
  const server = await emulator.listen()
  const events = new Map<string, string>()
  let deliveries = 0
  let forged = 0
  const receiver = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const timestamp = request.headers['x-svc-timestamp']
    const signature = createHmac('sha256', emulator.webhooks.secret)
      .update(`${timestamp}.${body}`)
      .digest('hex')
    if (signature !== request.headers['x-svc-signature']) forged += 1
    const { event_id, session_id, status } = JSON.parse(body)
    events.set(event_id, `${session_id} ${status}`)
    deliveries += 1
    response.end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const callback = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const { apiKey } = emulator.options.verification
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
    const response = await fetch(server.url + path, { ...init, headers })
    const { data } = (await response.json()) as { data: Record<string, string> }
    expect(response.status).toBe(200)
    return data
  }
  const finished = new Map<string, string>()
  const startedAt = performance.now()

  await runConcurrently(sessions, atOnce, async (i) => {
    const body = JSON.stringify({ workflow_id: 'wf_identity', callback, vendor_data: `person ${i}` })
    const created = await call('/api/v2/session', { method: 'POST', body })
    const choice = i % 2 === 0 ? 'approve' : 'decline'
    const chosen = await fetch(created.url as string, {
      method: 'POST',
      body: new URLSearchParams({ choice }),
      redirect: 'manual',
    })
    await chosen.arrayBuffer()
    const { status } = await call(`/api/v2/session/${created.session_id}/decision`)
    finished.set(created.session_id as string, status as string)
  })
  await emulator.webhooks.settled()

  const seconds = (performance.now() - startedAt) / 1000
  receiver.closeAllConnections()
  receiver.close()
  await server.close()
  const statuses = [...finished.values()]
  const count = (status: string) => statuses.filter((one) => one === status).length
  process.stdout.write(
    `emulator: ${finished.size} sessions (${count('APPROVED')} approved, ${count('DECLINED')} declined), ` +
      `${deliveries} deliveries of ${events.size} events, ${emulator.requests.length} requests, ` +
      `${seconds.toFixed(1)} s, ${Math.round(sessions / seconds)} sessions a second\n`,
  )
  expect(forged).toBe(0)
  expect(deliveries).toBe(sessions)
  expect(new Set(events.values())).toEqual(new Set([...finished].map(([id, status]) => `${id} ${status}`)))
  expect(
    emulator.webhooks.deliveries.every(({ delivered, attempts }) => delivered && attempts.length === 1),
  ).toBe(true)
  expect([count('APPROVED'), count('DECLINED')]).toEqual([sessions / 2, sessions / 2])
}, 300_000)
