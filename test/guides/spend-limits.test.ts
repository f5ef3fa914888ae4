import { beforeEach, expect, it } from 'vitest'
import { memoryStore } from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/guides/spend-limits.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

it('clients that share a store share one limit, and all stop after a 402', async () => {
  const around = { modules: { './store.ts': { store: memoryStore() } }, env: { CHECKS_A_DAY: '3' } }
  const name = 'Set a limit'
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

it('each user has a limit of their own', async () => {
  const { checkUser } = await guide.load<{ checkUser(userId: string, dob: string): Promise<string> }>(
    'Limit each user',
    { modules: { './store.ts': { store: memoryStore() } } },
  )
  const born = '1990-01-01'

  await expect(checkUser('ada', 'a mistake')).rejects.toMatchObject({ name: 'BadRequestError' })
  for (let calls = 1; calls < 5; calls++) expect(await checkUser('ada', born)).toBe('passed')
  await expect(checkUser('ada', born)).rejects.toMatchObject({ reason: 'key_limit_reached' })
  expect(await checkUser('bo', born)).toBe('passed')
})

it('a call beyond the limit is rejected with the time to wait', async () => {
  const { check } = await guide.load<{ check(dob: string): Promise<string> }>('Set a limit', {
    modules: { './store.ts': { store: memoryStore() } },
    env: { CHECKS_A_DAY: '1' },
  })

  expect(await check('1990-01-01')).toBe('passed')
  expect(await check('1990-01-01')).toMatch(/^limit_reached, retry in \d+ ms$/)
})
