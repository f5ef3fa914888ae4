import { http } from 'msw'
import { setupServer } from 'msw/node'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import { VerificationClient } from '../../src/index.ts'
import { mswHandlers } from '../../src/msw.ts'
import { respond } from '../support/scripted-fetch.ts'

it('the emulator has no requests if another setupServer hides its handlers', async () => {
  const baseUrl = 'https://id.example.test'
  vi.stubEnv('SVC_TRANSPORT', 'fetch')
  const emulator = createEmulator()
  const handlers = mswHandlers(emulator, { baseUrl })
  const call = () =>
    new VerificationClient({ ...emulator.options.verification, baseUrl, fetch: undefined }).sessions.list()
  const other = http.all(`${baseUrl}/*`, async () => respond(503)(new AbortController().signal))
  const servers = [setupServer(...handlers), setupServer(other)]
  onTestFinished(() => servers.forEach((server) => void server.close()))
  for (const server of servers) server.listen()

  await expect(call()).rejects.toMatchObject({ status: 503 })
  expect(emulator.requests).toEqual([])

  servers[1]?.use(...handlers)
  await call()
  expect(emulator.requests).not.toEqual([])
})
