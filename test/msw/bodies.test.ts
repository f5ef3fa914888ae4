import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { type ImageInput, VerificationClient } from '../../src/index.ts'
import { baseUrl, intercepted } from './intercepted.ts'

const { emulator, settings } = intercepted()

/** Every possible byte, including the line ends of multipart, in more than one chunk. */
const bytes = Buffer.concat([Uint8Array.from({ length: 256 }, (_, i) => i), randomBytes(300_000)])
const inChunks = () => Readable.from([bytes.subarray(0, 10), bytes.subarray(10, 70_000), bytes.subarray(70_000)])

it.each<[string, () => ImageInput]>([
  ['in memory', () => bytes],
  ['as a stream', inChunks],
  ['as a web stream', () => Readable.toWeb(inChunks()) as ReadableStream<Uint8Array>],
])('delivers an upload %s byte for byte', async (_, image) => {
  // Under one key, the emulator returns the stored response only for the same bytes, and rejects others.
  const idempotencyKey = 'key-1'
  const intercepting = new VerificationClient(settings.verification)
  const inProcess = new VerificationClient(emulator.options.verification)

  const first = await intercepting.checks.liveness({ image: image() }, { idempotencyKey })
  const second = await inProcess.checks.liveness({ image: bytes }, { idempotencyKey })

  expect(second.session_id).toBe(first.session_id)
  expect(emulator.requests[0]?.bytes).toBeGreaterThan(bytes.byteLength)
  expect(emulator.ledger).toHaveLength(1)
})

it('delivers the form of the hosted page, and returns its redirect unchanged and without a body', async () => {
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

it('delivers a query and its percent-encoding unchanged', async () => {
  const client = new VerificationClient(settings.verification)
  const vendor_data = 'a+b c/ä%2F&d=e'
  await client.sessions.create({ vendor_data })
  await client.sessions.create({ vendor_data: 'another' })

  expect(await client.sessions.list({ vendor_data })).toHaveLength(1)
  await expect(client.sessions.retrieve('no/such session?')).rejects.toMatchObject({ code: 'not_found' })
  expect(emulator.requests.at(-1)?.path).toBe(`${new URL(baseUrl).pathname}/api/v2/session/no%2Fsuch%20session%3F`)
})
