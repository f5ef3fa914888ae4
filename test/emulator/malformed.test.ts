import { expect, it } from 'vitest'
import { errorCatalog } from '../../src/contract/errors/catalog.ts'
import type { KnownErrorCode } from '../../src/contract/errors/codes.ts'
import { EmulatorError, type Fault, type Malformation } from '../../src/emulator.ts'
import { InvalidResponseError, VerificationClient } from '../../src/index.ts'
import { emulated, requestOf } from './emulated.ts'

const age = { dob: '1990-01-01', bands: [18] }
const send = () => requestOf('POST', '/api/v2/age-verification', { json: age })

it.each<[Malformation, string, (body: string) => void]>([
  ['not_json', 'text/html', (body) => expect(body).toMatch(/^<!doctype html>/)],
  ['truncated', 'application/json', (body) => expect(() => JSON.parse(body)).toThrow(SyntaxError)],
  ['empty', 'application/json', (body) => expect(body).toBe('')],
  ['wrong_shape', 'application/json', (body) => expect(JSON.parse(body).data).toEqual({ unexpected: true })],
])('answers with what is no answer of the service: %s', async (malformed, type, judge) => {
  const { emulator } = emulated()
  emulator.faults.add({ malformed })

  const response = await emulator.fetch(send())

  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe(type)
  expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  judge(await response.text())
  expect(emulator.ledger).toEqual([])
})

it('is a proxy that fails, with a status, headers and the work done behind it', async () => {
  const { emulator } = emulated()
  emulator.faults.add({ malformed: true, status: 502, headers: { via: '1.1 proxy' }, when: 'after' })

  const response = await emulator.fetch(send())

  expect(response.status).toBe(502)
  expect(response.headers.get('via')).toBe('1.1 proxy')
  expect(await response.text()).toContain('<h1>')
  expect(emulator.ledger).toHaveLength(1)
})

it('befalls the token endpoint too', async () => {
  const { emulator } = emulated()
  emulator.faults.add({ match: 'oidc.refresh', malformed: 'truncated' })

  const response = await emulator.fetch(
    requestOf('POST', '/api/auth/oidc/token', { json: { grant_type: 'refresh_token' } }),
  )

  expect(response.status).toBe(200)
  expect(await response.text()).toMatch(/^\{"success"/)
})

it.each<Malformation>(['not_json', 'truncated', 'empty', 'wrong_shape'])(
  'a client takes %s for no result of a check that costs money',
  async (malformed) => {
    const { emulator } = emulated()
    const client = new VerificationClient({ ...emulator.options.verification, responseValidation: 'strict' })
    emulator.faults.add({ malformed, when: 'after', times: 10 })

    await expect(client.checks.age({ dob: '1990-01-01', bands: [18] })).rejects.toBeInstanceOf(
      InvalidResponseError,
    )
    expect(emulator.ledger).toHaveLength(1)
  },
)

const withStatus = Object.entries(errorCatalog).filter(([, { statuses }]) => statuses.length > 0)

it('answers any code of the catalogue, with the status that the contract gives it', async () => {
  const { emulator } = emulated()
  for (const [code, { statuses }] of withStatus) {
    emulator.faults.add({ match: 'checks.age', code: code as KnownErrorCode })
    const response = await emulator.fetch(send())
    expect(response.status, code).toBe(statuses[0])
    expect(await response.json()).toMatchObject({ success: false, error: { code } })
  }
})

it.each<[string, Fault]>([
  ['a code without a status', { code: 'endpoint_not_found' }],
  ['a code that nobody knows, without a status', { code: 'odd' }],
  ['a malformation that nobody knows', { malformed: 'odd' as 'empty' }],
  ['no effect', { times: 2 }],
])('refuses a fault with %s', (_, fault) => {
  expect(() => emulated().emulator.faults.add(fault)).toThrow(EmulatorError)
})
