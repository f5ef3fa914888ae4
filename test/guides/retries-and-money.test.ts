import { beforeEach, expect, it } from 'vitest'
import type { Replay } from '../../src/contract/endpoint.ts'
import { organizationEndpoints } from '../../src/contract/organization/endpoints.ts'
import { oidcEndpoints } from '../../src/contract/sign-in/oidc.ts'
import { verificationEndpoints } from '../../src/contract/verification/endpoints.ts'
import { memoryStore } from '../../src/index.ts'
import { documented } from '../support/documented.ts'
import { columnOf } from './reading.ts'

const page = 'docs/retries-and-money.md'
const guide = documented('docs/retries-and-money.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

/** Their answers are lost, and the work is done. */
const lostAnswers = () => emulator.faults.add({ match: 'checks.age', reset: true, when: 'after', times: 3 })

it('a call tells how many attempts it took', async () => {
  emulator.faults.add({ status: 503, headers: { 'retry-after': '0' }, times: 2 })

  expect(await guide.run('When, and how often')).toBe('0 after 3 attempts\n')
})

it('a job that two processes run is charged once', async () => {
  const jobs = new Map([[7, { params: { dob: '1990-01-01', bands: [18] } }]])
  const modules = { './jobs.js': { jobs } }
  const [one, two] = [
    await guide.load<{ run(id: number): Promise<void> }>('Idempotency keys', { modules }),
    await guide.load<{ run(id: number): Promise<void> }>('Idempotency keys', { modules }),
  ]
  lostAnswers()

  await one.run(7)
  expect(jobs.get(7)).not.toHaveProperty('status')
  await two.run(7)

  expect(jobs.get(7)).toHaveProperty('status', 'passed')
  expect(emulator.ledger).toHaveLength(1)
})

it('an outcome that nobody knows is learned without a second charge', async () => {
  lostAnswers()

  expect(await guide.run('When nobody knows')).toBe('connection_failed after 3 attempts\npassed\n')
  expect(emulator.ledger).toHaveLength(1)
})

it('clients of one store share one limit, and wait for the wallet', async () => {
  const around = { modules: { './store.js': { store: memoryStore() } }, env: { CHECKS_A_DAY: '3' } }
  const name = 'Stop before it is too much'
  interface Checking {
    check(dob: string): Promise<string>
  }
  const [one, two] = [await guide.load<Checking>(name, around), await guide.load<Checking>(name, around)]
  const born = '1990-01-01'

  expect([await one.check(born), await two.check(born)]).toEqual(['passed', 'passed'])
  emulator.faults.add({ match: 'checks.age', status: 402 })
  await expect(one.check(born)).rejects.toMatchObject({ name: 'PaymentRequiredError' })
  expect(await two.check(born)).toMatch(/^payment_required, free in \d+ ms$/)
  expect(emulator.ledger).toHaveLength(2)
})

it('a limit that is reached is told with the time until it is free', async () => {
  const { check } = await guide.load<{ check(dob: string): Promise<string> }>('Stop before it is too much', {
    modules: { './store.js': { store: memoryStore() } },
    env: { CHECKS_A_DAY: '1' },
  })

  expect(await check('1990-01-01')).toBe('passed')
  expect(await check('1990-01-01')).toMatch(/^limit_reached, free in \d+ ms$/)
})

const kinds: readonly Replay[] = ['safe', 'with-key', 'when-refused', 'never']

it('the table of repeats has every operation in the row that it declares', () => {
  const rows = columnOf(page, 'What is repeated', 1).map((cell) => cell.split(', '))
  const clients = [...verificationEndpoints, ...organizationEndpoints, ...oidcEndpoints]

  const isNamed = (operation: string) => (name: string) =>
    name.endsWith('*') ? operation.startsWith(name.slice(0, -1)) : name === operation
  const rowOf = (operation: string) => rows.findIndex((names) => names.some(isNamed(operation)))
  // The browser calls the one and key sets are read; a change of status is told below the table.
  const elsewhere = ['oidc.authorize', 'oidc.jwks', 'sessions.updateStatus']
  const wrong = clients
    .filter(({ operation }) => !elsewhere.includes(operation))
    .filter(({ operation, replay }) => {
      const isRead = replay === 'safe' && /\.(?:list|retrieve)/.test(operation)
      return !isRead && rowOf(operation) !== kinds.indexOf(replay)
    })

  const [, ...written] = rows
  const unknown = written.flat().filter((name) => !clients.some(({ operation }) => isNamed(operation)(name)))

  expect(unknown).toEqual([])
  expect(wrong.map(({ operation, replay }) => `${operation}: ${replay}`)).toEqual([])
})
