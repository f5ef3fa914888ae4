import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'

const sessions = Number(process.env.CAMPAIGN_SESSIONS ?? 2000)
const atOnce = 64

/** Runs `work` for each number, so many at a time. */
async function each(count: number, work: (i: number) => Promise<void>) {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

it(`${sessions} sessions are created, completed and delivered without loss`, async () => {
  const emulator = createEmulator({ seed: 'load' })
  const server = await emulator.listen()
  const events = new Map<string, string>()
  let deliveries = 0
  let forged = 0
  const hook = createServer(async (request, response) => {
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
  await once(hook, 'listening')
  const callback = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`
  const { apiKey } = emulator.options.verification
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
    const response = await fetch(server.url + path, { ...init, headers })
    const { data } = (await response.json()) as { data: Record<string, string> }
    expect(response.status).toBe(200)
    return data
  }
  const ended = new Map<string, string>()
  const began = performance.now()

  await each(sessions, async (i) => {
    const body = JSON.stringify({ workflow_id: 'wf_identity', callback, vendor_data: `person ${i}` })
    const created = await ask('/api/v2/session', { method: 'POST', body })
    const choice = i % 2 === 0 ? 'approve' : 'decline'
    const chosen = await fetch(created.url as string, {
      method: 'POST',
      body: new URLSearchParams({ choice }),
      redirect: 'manual',
    })
    await chosen.arrayBuffer()
    const { status } = await ask(`/api/v2/session/${created.session_id}/decision`)
    ended.set(created.session_id as string, status as string)
  })
  await emulator.webhooks.settled()

  const seconds = (performance.now() - began) / 1000
  hook.closeAllConnections()
  hook.close()
  await server.close()
  const statuses = [...ended.values()]
  const count = (status: string) => statuses.filter((one) => one === status).length
  process.stdout.write(
    `emulator: ${ended.size} sessions (${count('APPROVED')} approved, ${count('DECLINED')} declined), ` +
      `${deliveries} deliveries of ${events.size} events, ${emulator.requests.length} requests, ` +
      `${seconds.toFixed(1)} s, ${Math.round(sessions / seconds)} sessions a second\n`,
  )
  expect(forged).toBe(0)
  expect(deliveries).toBe(sessions)
  expect(new Set(events.values())).toEqual(new Set([...ended].map(([id, status]) => `${id} ${status}`)))
  expect(
    emulator.webhooks.deliveries.every(({ delivered, attempts }) => delivered && attempts.length === 1),
  ).toBe(true)
  expect([count('APPROVED'), count('DECLINED')]).toEqual([sessions / 2, sessions / 2])
}, 300_000)
