import { beforeEach, expect, it } from 'vitest'
import type { Replay } from '../../src/contract/endpoint.ts'
import { organizationEndpoints } from '../../src/contract/organization/endpoints.ts'
import { oidcEndpoints } from '../../src/contract/sign-in/oidc.ts'
import { verificationEndpoints } from '../../src/contract/verification/endpoints.ts'
import { memoryStore } from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'
import { columnOf } from './reading.ts'

const page = 'docs/guides/retries-and-money.md'
const guide = documentedCode('docs/guides/retries-and-money.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

/** The service does the work, but its responses are lost. */
const loseResponses = () => emulator.faults.add({ match: 'checks.age', reset: true, when: 'after', times: 3 })

it('a response reports how many attempts the call took', async () => {
  emulator.faults.add({ status: 503, headers: { 'retry-after': '0' }, times: 2 })

  expect(await guide.run('Retry timing')).toBe('0 after 3 attempts\n')
})

it('charges a job once that two processes run under one key', async () => {
  const jobs = new Map([[7, { params: { dob: '1990-01-01', bands: [18] } }]])
  const modules = { './jobs.js': { jobs } }
  const [one, two] = [
    await guide.load<{ run(id: number): Promise<void> }>('Idempotency keys', { modules }),
    await guide.load<{ run(id: number): Promise<void> }>('Idempotency keys', { modules }),
  ]
  loseResponses()

  await one.run(7)
  expect(jobs.get(7)).not.toHaveProperty('status')
  await two.run(7)

  expect(jobs.get(7)).toHaveProperty('status', 'passed')
  expect(emulator.ledger).toHaveLength(1)
})

it('returns the result of an unknown outcome when called with its key, which the emulator charges once', async () => {
  loseResponses()

  expect(await guide.run('Unknown outcomes')).toBe('connection_failed after 3 attempts\npassed\n')
  expect(emulator.ledger).toHaveLength(1)
})

it('clients that share a store share one limit, and all stop after a 402', async () => {
  const around = { modules: { './store.js': { store: memoryStore() } }, env: { CHECKS_A_DAY: '3' } }
  const name = 'Limit spending'
  interface Checking {
    check(dob: string): Promise<string>
  }
  const [one, two] = [await guide.load<Checking>(name, around), await guide.load<Checking>(name, around)]
  const born = '1990-01-01'

  expect([await one.check(born), await two.check(born)]).toEqual(['passed', 'passed'])
  emulator.faults.add({ match: 'checks.age', status: 402 })
  await expect(one.check(born)).rejects.toMatchObject({ name: 'PaymentRequiredError' })
  expect(await two.check(born)).toMatch(/^payment_required, retry in \d+ ms$/)
  expect(emulator.ledger).toHaveLength(2)
})

it('a call beyond the limit is rejected with the time to wait', async () => {
  const { check } = await guide.load<{ check(dob: string): Promise<string> }>('Limit spending', {
    modules: { './store.js': { store: memoryStore() } },
    env: { CHECKS_A_DAY: '1' },
  })

  expect(await check('1990-01-01')).toBe('passed')
  expect(await check('1990-01-01')).toMatch(/^limit_reached, retry in \d+ ms$/)
})

const kinds: readonly Replay[] = ['safe', 'with-key', 'if-not-executed', 'never']

it('the retry table lists every operation in the row of its declared replay rule', () => {
  const rows = columnOf(page, 'Which calls are retried', 1).map((cell) => cell.split(', '))
  const clients = [...verificationEndpoints, ...organizationEndpoints, ...oidcEndpoints]

  const matches = (operation: string) => (name: string) =>
    name.endsWith('*') ? operation.startsWith(name.slice(0, -1)) : name === operation
  const rowOf = (operation: string) => rows.findIndex((names) => names.some(matches(operation)))
  // A browser opens the first, the client fetches key sets itself, and updateStatus is described below the table.
  const elsewhere = ['oidc.authorize', 'oidc.jwks', 'sessions.updateStatus']
  const wrong = clients
    .filter(({ operation }) => !elsewhere.includes(operation))
    .filter(({ operation, replay }) => {
      const isRead = replay === 'safe' && /\.(?:list|retrieve)/.test(operation)
      return !isRead && rowOf(operation) !== kinds.indexOf(replay)
    })

  const [, ...listed] = rows
  const unknown = listed.flat().filter((name) => !clients.some(({ operation }) => matches(operation)(name)))

  expect(unknown).toEqual([])
  expect(wrong.map(({ operation, replay }) => `${operation}: ${replay}`)).toEqual([])
})
