import { expect, it } from 'vitest'
import type { Malformation } from '../../../../src/emulator.ts'
import { InvalidResponseError, VerificationClient } from '../../../../src/index.ts'
import { adult } from '../../support/checks.ts'
import { inProcess, requestOf } from '../../support/service.ts'

const ageRequest = () => requestOf('POST', '/api/v2/age-verification', { json: adult })

it.each<[Malformation, string, (body: string) => void]>([
  ['not_json', 'text/html', (body) => expect(body).toMatch(/^<!doctype html>/)],
  ['truncated', 'application/json', (body) => expect(() => JSON.parse(body)).toThrow(SyntaxError)],
  ['empty', 'application/json', (body) => expect(body).toBe('')],
  ['wrong_shape', 'application/json', (body) => expect(JSON.parse(body).data).toEqual({ unexpected: true })],
])('%s returns 200 with a body that the service never sends', async (malformed, type, expectBody) => {
  const { emulator } = inProcess()
  emulator.faults.add({ malformed })

  const response = await emulator.fetch(ageRequest())

  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe(type)
  expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  expectBody(await response.text())
  expect(emulator.ledger).toEqual([])
})

it('can emulate a failing proxy: a status, headers and work that was done behind it', async () => {
  const { emulator } = inProcess()
  emulator.faults.add({ malformed: true, status: 502, headers: { via: '1.1 proxy' }, when: 'after' })

  const response = await emulator.fetch(ageRequest())

  expect(response.status).toBe(502)
  expect(response.headers.get('via')).toBe('1.1 proxy')
  expect(await response.text()).toContain('<h1>')
  expect(emulator.ledger).toHaveLength(1)
})

it('applies to the token endpoint', async () => {
  const { emulator } = inProcess()
  emulator.faults.add({ match: 'oidc.refresh', malformed: 'truncated' })

  const response = await emulator.fetch(
    requestOf('POST', '/api/auth/oidc/token', { json: { grant_type: 'refresh_token' } }),
  )

  expect(response.status).toBe(200)
  expect(await response.text()).toMatch(/^\{"success"/)
})

it.each<Malformation>(['not_json', 'truncated', 'empty', 'wrong_shape'])(
  'the client throws InvalidResponseError for %s after a billable call',
  async (malformed) => {
    const { emulator } = inProcess()
    const client = new VerificationClient({ ...emulator.options.verification, responseValidation: 'strict' })
    emulator.faults.add({ malformed, when: 'after', times: 10 })

    await expect(client.checks.age(adult)).rejects.toBeInstanceOf(InvalidResponseError)
    expect(emulator.ledger).toHaveLength(1)
  },
)
