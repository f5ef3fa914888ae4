import { expect, it } from 'vitest'
import { images } from '../../support/fixtures.ts'
import { respond } from '../../support/scripted-fetch.ts'
import { testClient } from '../../support/verification-client.ts'

it('closes the stream of an image when the fetch cancels the body', async () => {
  let isOpen = true
  async function* photo() {
    try {
      for (;;) yield images.png
    } finally {
      isOpen = false
    }
  }
  const open: boolean[] = []
  const fetch = async (_: unknown, init: RequestInit = {}) => {
    const reader = (init.body as ReadableStream<Uint8Array>).getReader()
    for (let chunks = 0; chunks < 4; chunks++) await reader.read()
    open.push(isOpen)
    await reader.cancel()
    open.push(isOpen)
    return respond(413)(new AbortController().signal)
  }
  const { client } = testClient({ fetch, maxRetries: 0 })

  await expect(client.checks.liveness({ image: photo() })).rejects.toMatchObject({ status: 413 })
  expect(open).toEqual([true, false])
})
