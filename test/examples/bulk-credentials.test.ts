import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Service } from '../support/service-process.ts'
import { emulated } from './emulated.ts'
import { describeInstalled, examplePath, type Program, startProgram } from './program.ts'

const header = 'state,credential_code,license_number,full_name'
const alex = 'CA,EMU-CA-RN,RN-482913,Alex Sample'
const robin = 'CA,EMU-CA-MD,A 10-2030,Robin Example'

describeInstalled('bulk-credentials', () => {
  describeWith('redis-server', 'that lookups in a queue are charged once', rules)
})

function rules() {
  const service = emulated()
  const { emulator } = service
  let redis: Service
  let folder: string

  beforeAll(async () => {
    redis = await startRedis()
    folder = await mkdtemp(join(tmpdir(), 'bulk-credentials-'))
  })

  beforeEach(async () => {
    await redis.stop()
    await redis.start()
  })

  afterAll(async () => {
    await redis.remove()
    await rm(folder, { recursive: true })
  })

  const settings = () => ({ ...service.settings, REDIS_URL: redis.url })

  async function aWorker(more: Record<string, string> = {}): Promise<Program> {
    const worker = startProgram('bulk-credentials', ['node', '--import', 'tsx', 'worker.ts'], {
      ...settings(),
      ...more,
    })
    onTestFinished(() => void worker.end('SIGKILL'))
    await worker.printed(/waiting for jobs/)
    return worker
  }

  async function enqueue(...rows: readonly string[]): Promise<Program> {
    const file = join(folder, 'licenses.csv')
    await writeFile(file, [header, ...rows].join('\n'))
    const program = startProgram('bulk-credentials', ['node', '--import', 'tsx', 'enqueue.ts', file], settings())
    onTestFinished(() => void program.end('SIGKILL'))
    return program
  }

  const lookups = () => emulator.requests.filter(({ path }) => path.endsWith('/credential-verification'))

  it('prints the result of each license, and sends nothing that discovery rules out', async () => {
    await aWorker()
    const program = await enqueue(
      alex,
      'NY,EMU-NY-RPH,048211,Kim Other',
      'TX,EMU-TX-PE,99999,Pat Unlisted',
      'ZZ,EMU-CA-RN,1,Lee Nowhere',
      'CA,EMU-CA-XX,1,Lee Nothing',
      'CA,EMU-CA-RN,,Lee Numberless',
      'CA,EMU-CA-RN,RN-482913,',
      'CA,EMU-CA-MD,A 10-2030,Alex "Al" Sample',
      '',
    )

    expect(await program.ended).toBe(1)
    expect(program.output()).toMatch(/^row 2\tpassed, match true, active, 2037-05-31$/m)
    expect(program.output()).toMatch(/^row 3\tfailed, match false, expired, 2020-08-31$/m)
    expect(program.output()).toMatch(/^row 4\tnot found/m)
    expect(program.output()).toMatch(/^row 5\tnot queued: no board for ZZ$/m)
    expect(program.output()).toMatch(/^row 6\tnot queued: \S+ is not offered in CA$/m)
    expect(program.output()).toMatch(/^row 7\tnot queued: credentialParams: license_number is required/m)
    expect(program.output()).toMatch(/^row 8\tnot queued: full_name is missing$/m)
    expect(program.output()).toMatch(/^row 9\tnot queued: INVALID_OPENING_QUOTE$/m)
    expect(program.output()).not.toContain('Al')
    expect(lookups()).toHaveLength(3)
  })

  it('a lookup whose worker is killed is finished by another worker and charged once', async () => {
    emulator.faults.add({ match: 'checks.credential', when: 'after', delayMs: 60_000 })
    // Long enough for a busy machine: a worker that extends a lock too late loses its job to another worker.
    const lock = { LOCK_MS: '5000' }
    const first = await aWorker(lock)
    const program = await enqueue(alex)
    await vi.waitFor(() => expect(emulator.ledger).toHaveLength(1), { timeout: 30_000 })

    await first.end('SIGKILL')
    expect(program.output()).not.toContain('row 2')
    await aWorker(lock)

    expect(await program.ended).toBe(0)
    expect(program.output()).toMatch(/^row 2\tpassed, match true/m)
    expect(lookups().length).toBeGreaterThanOrEqual(2)
    expect(new Set(lookups().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
    expect(emulator.ledger).toHaveLength(1)
  })

  it('a list that is queued again is not charged again, and its new rows are looked up', async () => {
    await aWorker()
    expect(await (await enqueue(alex)).ended).toBe(0)

    const again = await enqueue(alex, robin, alex)

    expect(await again.ended).toBe(0)
    expect(again.output().match(/^row [234]\tpassed, match true/gm)).toHaveLength(3)
    expect(emulator.ledger).toHaveLength(2)
  })

  it('a job that failed is retried when its list is queued again', async () => {
    emulator.faults.add({ match: 'checks.credential', status: 400, code: 'validation_error' })
    await aWorker()
    const first = await enqueue(alex)
    expect(await first.ended).toBe(1)
    expect(first.output()).toMatch(/^row 2\tfailed: /m)

    const second = await enqueue(alex)

    expect(await second.ended).toBe(0)
    expect(emulator.ledger).toHaveLength(1)
  })

  it('an empty wallet delays a job, which uses up no attempt', async () => {
    // More than the attempts of a job.
    emulator.faults.add({ match: 'checks.credential', status: 402, headers: { 'retry-after': '0' }, times: 12 })
    await aWorker()

    const program = await enqueue(alex)

    expect(await program.ended).toBe(0)
    expect(lookups()).toHaveLength(13)
    expect(emulator.ledger).toHaveLength(1)
  })

  it('a job whose budget is used up waits as long as the limiter says, and at most an hour', async () => {
    const { delayOf } = await import(examplePath('bulk-credentials/queue.ts'))
    const { SpendLimitError, NotFoundError } = await import(
      examplePath('bulk-credentials/node_modules/identity-service-sdk/dist/index.js')
    )

    expect(delayOf(new SpendLimitError({ cause: { msBeforeNext: 5000 } }))).toBe(5000)
    expect(delayOf(new SpendLimitError({ cause: { msBeforeNext: 32 * 86_400_000 } }))).toBe(3_600_000)
    expect(delayOf(new SpendLimitError({ cause: new Error('no Redis') }))).toBe(60_000)
    expect(delayOf(new NotFoundError({ code: 'not_found', message: 'another' }))).toBeUndefined()
  })

  it('the limit of all workers delays jobs, and they run once it is raised', async () => {
    const frugal = await aWorker({ CALLS_PER_HOUR: '1' })
    const program = await enqueue(alex, robin)
    await vi.waitFor(() => expect(emulator.ledger).toHaveLength(1), { timeout: 30_000 })
    expect(await frugal.end('SIGTERM')).toBe(0)
    expect(emulator.ledger).toHaveLength(1)

    await aWorker({ CALLS_PER_HOUR: '10' })

    expect(await program.ended).toBe(0)
    expect(emulator.ledger).toHaveLength(2)
  })

  it('a worker finishes its lookups before it exits, and prints no secrets and no personal data', async () => {
    emulator.faults.add({ match: 'checks.credential', when: 'after', delayMs: 500 })
    const worker = await aWorker()
    const program = await enqueue(alex)
    await vi.waitFor(() => expect(emulator.ledger).toHaveLength(1), { timeout: 30_000 })

    expect(await worker.end('SIGTERM')).toBe(0)

    expect(await program.ended).toBe(0)
    expect(worker.output()).toContain(lookups()[0]?.requestId)
    expect(worker.output()).not.toMatch(/Alex|482913/)
    expect(worker.output()).not.toContain(service.settings.SVC_API_KEY)
  })
}
