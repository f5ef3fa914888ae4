import { beforeEach, expect, it } from 'vitest'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/guides/retries-and-money.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

it('a response reports how many attempts the call took', async () => {
  emulator.faults.add({ status: 503, headers: { 'retry-after': '0' }, times: 2 })

  expect(await guide.run('Retry timing')).toBe('0 after 3 attempts\n')
})

it('charges a job once that two processes run under one key', async () => {
  const jobs = new Map([[7, { params: { dob: '1990-01-01', bands: [18] } }]])
  const modules = { './jobs.ts': { jobs } }
  const [one, two] = [
    await guide.load<{ run(id: number): Promise<void> }>('Idempotency keys', { modules }),
    await guide.load<{ run(id: number): Promise<void> }>('Idempotency keys', { modules }),
  ]
  emulator.faults.add({ match: 'checks.age', reset: true, when: 'after', times: 3 }) // the responses are lost

  await one.run(7)
  expect(jobs.get(7)).not.toHaveProperty('status')
  await two.run(7)

  expect(jobs.get(7)).toHaveProperty('status', 'passed')
  expect(emulator.ledger).toHaveLength(1)
})
