import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { type ImageInput, VerificationClient } from '../../src/verification.ts'
import { baseUrl, intercepted } from './intercepted.ts'

const { emulator, settings } = intercepted()

/** Every byte there is, line ends of multipart among them, and more than one chunk. */
const bytes = Buffer.concat([Uint8Array.from({ length: 256 }, (_, i) => i), randomBytes(300_000)])
const inChunks = () =>
  Readable.from([bytes.subarray(0, 10), bytes.subarray(10, 70_000), bytes.subarray(70_000)])

it.each<[string, () => ImageInput]>([
  ['in memory', () => bytes],
  ['as a stream', inChunks],
  ['as a web stream', () => Readable.toWeb(inChunks()) as ReadableStream<Uint8Array>],
])('an upload %s arrives byte for byte', async (_, image) => {
  // Under one key, the emulator repeats its answer to the same bytes alone; others it refuses.
  const idempotencyKey = 'key-1'
  const over = new VerificationClient(settings.verification)
  const directly = new VerificationClient(emulator.options.verification)

  const sent = await over.checks.liveness({ image: image() }, { idempotencyKey })
  const again = await directly.checks.liveness({ image: bytes }, { idempotencyKey })

  expect(again.session_id).toBe(sent.session_id)
  expect(emulator.requests[0]?.bytes).toBeGreaterThan(bytes.byteLength)
  expect(emulator.ledger).toHaveLength(1)
})

it('the form of the hosted page is sent on, and its redirect comes back untouched and empty', async () => {
  const client = new VerificationClient(settings.verification)
  const { url, session_id } = await client.sessions.create({
    workflow_id: 'wf_identity',
    redirect_url: 'https://app.example.test/return?lang=de%20AT',
  })

  const body = new URLSearchParams({ choice: 'decline' })
  const response = await fetch(url, { method: 'POST', body, redirect: 'manual' })

  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toBe(
    `https://app.example.test/return?lang=de%20AT&session_id=${session_id}&status=DECLINED`,
  )
  expect(response.body).toBeNull()
  expect((await client.sessions.decision(session_id)).decision).toBe('DECLINED')
})

it('a query and its percent signs arrive as they were sent', async () => {
  const client = new VerificationClient(settings.verification)
  const vendor_data = 'a+b c/ä%2F&d=e'
  await client.sessions.create({ vendor_data })
  await client.sessions.create({ vendor_data: 'another' })

  expect(await client.sessions.list({ vendor_data })).toHaveLength(1)
  await expect(client.sessions.retrieve('no/such session?')).rejects.toMatchObject({ code: 'not_found' })
  expect(emulator.requests.at(-1)?.path).toBe(
    `${new URL(baseUrl).pathname}/api/v2/session/no%2Fsuch%20session%3F`,
  )
})
