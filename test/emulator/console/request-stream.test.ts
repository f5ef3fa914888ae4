import { expect, it } from 'vitest'
import { withConsole } from './with-console.ts'

it('streams each request when it ends, without its query, headers and body', async () => {
  const { send, call } = withConsole()
  const closing = new AbortController()
  const stream = await send('/requests/stream', { signal: closing.signal })
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  await reader?.read()

  await call('GET', '/api/v2/session?vendor_data=canary')

  const { value } = (await reader?.read()) ?? {}
  expect(JSON.parse(value?.replace('data: ', '') ?? '')).toEqual({
    at: expect.any(String),
    method: 'GET',
    path: '/api/v2/session',
    operation: 'sessions.list',
    status: '200',
    key: '',
    requestId: expect.stringMatching(/^req_/),
  })
  closing.abort()
  expect(await reader?.read()).toEqual({ done: true, value: undefined })
})

it('limits the number of open logs to 32, and accepts a new one when another closes', async () => {
  const { send } = withConsole()
  const open = () => {
    const closing = new AbortController()
    return { close: () => closing.abort(), response: send('/requests/stream', { signal: closing.signal }) }
  }
  const streams = Array.from({ length: 32 }, open)
  for (const { response } of streams) expect((await response).status).toBe(200)

  expect((await open().response).status).toBe(503)
  streams[0]?.close()
  expect((await open().response).status).toBe(200)
})
