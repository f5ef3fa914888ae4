import { beforeEach, expect, it } from 'vitest'
import { documentedCode } from '../support/documented-code.ts'

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
  const modules = { './jobs.ts': { jobs } }
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

it('a request that is aborted ends its call', async () => {
  const id = await guide.aSession()
  const { GET } = await guide.load<{ GET(request: Request): Promise<Response> }>('Cancel a call')
  const request = (signal: AbortSignal) => new Request(`https://app.example.com/?session=${id}`, { signal })

  expect(await (await GET(request(new AbortController().signal))).json()).toEqual({ status: 'NOT_STARTED' })
  await expect(GET(request(AbortSignal.abort()))).rejects.toMatchObject({ code: 'aborted' })
})
