import { expect, it } from 'vitest'
import { testClient } from '../../support/verification-client.ts'

const noFetch = () => expect.fail('something was sent')

it.each([
  [{ timeoutMs: 0 }, 'timeoutMs'],
  [{ deadlineMs: 1.5 }, 'deadlineMs'],
  [{ maxRetries: 11 }, 'maxRetries'],
  [{ signal: {} as AbortSignal }, 'signal'],
  [{ idempotencyKey: '' }, 'idempotencyKey'],
  [{ idempotencyKey: 'a b' }, 'idempotencyKey'],
  [{ idempotencyKey: 'a\nb' }, 'idempotencyKey'],
  [{ idempotencyKey: 'ü' }, 'idempotencyKey'],
  [{ idempotencyKey: ['key'] as never }, 'idempotencyKey'],
  [{ signal: null as never }, 'signal'],
  [{ idempotencyKey: 'x'.repeat(256) }, 'idempotencyKey'],
  [{ headers: [['a', 'b']] as never }, 'headers'],
])('rejects the request options %j before anything is sent', async (options, path) => {
  const { client } = testClient({ fetch: noFetch })

  await expect(client.sessions.create({}, options)).rejects.toMatchObject({
    name: 'InvalidParamsError',
    attempts: 0,
    issues: [{ path, message: expect.stringMatching(/^must be /) }],
  })
})

it.each([
  [{ encoding: 'xml' }, 'encoding'],
  [{ onUploadProgress: 'log' }, 'onUploadProgress'],
])('rejects the options %j of a call with images', async (options, path) => {
  const { client } = testClient({ fetch: noFetch })

  const call = client.checks.liveness({ image: Uint8Array.of(1) }, options as never)

  await expect(call).rejects.toMatchObject({
    name: 'InvalidParamsError',
    issues: [{ path, message: expect.stringMatching(/^must be /) }],
  })
})
