// Measures what the verification manager costs as the store grows, while 1,000 verifications are pending.

import { median } from '../cpu.js'
import { byMode } from '../mode.js'
import { sdk } from '../own.js'
import { report } from '../result.js'
import { areEnginesInstalled, postgres, redis } from '../servers/engines.js'

const sizes = byMode([10], [1_000, 100_000, 1_000_000], [1_000, 10_000, 100_000, 1_000_000])
const pending = byMode(5, 1_000, 1_000)
const rounds = byMode(1, 5, 9)
const calls = byMode(1, 200, 500)

const checks = Array.from({ length: 12 }, () => ({
  type: 'liveness',
  status: 'passed',
  data: { name: 'Åsa 日本' },
}))
let isApproved = false
let created = 0
const unused = async () => {
  throw new Error('this is not called')
}
/** The service in this process, so that only the store is measured. */
const sessions = {
  create: async () => ({
    session_id: `sess_${++created}`,
    url: `https://id.example.test/s/${created}`,
    expires_at: '2099-01-01T00:00:00Z',
  }),
  decision: async () =>
    isApproved
      ? { decision: 'APPROVED', status: 'APPROVED', decided_at: '2026-01-01T00:00:00Z', checks }
      : { decision: null, status: 'IN_PROGRESS', checks: [] },
  list: unused,
  retrieve: unused,
  updateStatus: unused,
}

/** @param {import('../servers/engines.js').Engine} engine */
async function measure(engine) {
  let trips = 0
  const store = counted(engine.store, () => trips++)
  const verifications = sdk.createVerificationManager({
    client: { sessions: /** @type {never} */ (sessions) },
    store,
    session: { workflow_id: 'wf_1' },
    onChange: () => {},
  })
  const event = (/** @type {string} */ subject, /** @type {string | null} */ session_id) =>
    /** @type {never} */ ({ vendor_data: subject, session_id })

  isApproved = true
  await verifications.start('approved')
  await verifications.refresh('approved')
  const record = String(await engine.store.get('verification:default:approved'))
  isApproved = false
  for (let n = 0; n < pending; n++) await verifications.start(`pending-${n} Åsa 日本`)

  const works = {
    reconcile: async () => void (await verifications.reconcile({ olderThanMs: 0 })),
    list: async () => {
      for await (const _ of verifications.list({ state: 'open' }));
    },
    start: async (/** @type {string} */ subject) => void (await verifications.start(subject)),
    handle: async (/** @type {string} */ subject) => {
      const { sessionId } = await verifications.get(subject)
      isApproved = true
      await verifications.handle(event(subject, sessionId))
      isApproved = false
    },
    ensureApproved: async (/** @type {string} */ subject) => void (await verifications.ensureApproved(subject)),
  }
  /** @type {import('../table.js').Row[]} */
  const rows = []
  let people = 0
  for (const size of sizes) {
    await engine.add(record, people, size)
    people = size
    /** @type {Record<string, number>} */
    const figures = {}
    const samples = /** @type {Record<'times' | 'client' | 'server', number[]>} */ ({
      times: [],
      client: [],
      server: [],
    })
    for (let round = -1; round < rounds; round++) {
      const [cpu, engineCpu] = [process.cpuUsage(), engine.cpuMs()]
      trips = 0
      const ms = await elapsed(works.reconcile)
      if (round < 0) continue
      const { user, system } = process.cpuUsage(cpu)
      samples.times.push(ms)
      samples.client.push((user + system) / 1_000)
      samples.server.push(engine.cpuMs() - engineCpu)
    }
    figures.reconcile = median(samples.times)
    figures.trips = trips
    figures.client = median(samples.client)
    figures.server = median(samples.server)
    figures.list = await elapsed(works.list)
    const subjects = Array.from({ length: calls }, (_, n) => `new-${size}-${n}`)
    for (const name of /** @type {const} */ (['start', 'handle', 'ensureApproved'])) {
      const each = []
      const before = engine.cpuMs()
      for (const subject of subjects) each.push(await elapsed(() => works[name](subject)))
      figures[name] = median(each)
      figures[`${name}Server`] = (engine.cpuMs() - before) / calls
    }
    figures.bytes = (await engine.bytes()) / (people + pending)
    for (const subject of subjects) await verifications.forget(subject)
    rows.push({ name: `${people.toLocaleString('en')} people`, own: true, figures })
  }
  return { title: `${engine.name}, ${pending.toLocaleString('en')} verifications pending`, columns, rows }
}

const columns = {
  reconcile: 'reconcile, ms',
  trips: 'its operations of the store',
  client: 'its CPU here, ms',
  server: 'its CPU in the engine, ms',
  list: 'list of the pending, ms',
  start: 'start, ms',
  startServer: 'its CPU in the engine, ms',
  handle: 'get and handle, ms',
  handleServer: 'its CPU in the engine, ms',
  ensureApproved: 'ensureApproved, ms',
  bytes: 'bytes per person',
}

/** @param {() => Promise<void>} work */
async function elapsed(work) {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/**
 * @template {object} T
 * @param {T} target
 * @param {() => void} count
 * @returns {T}
 */
const counted = (target, count) =>
  new Proxy(target, {
    get(_, name) {
      const member = Reflect.get(target, name)
      if (name === 'lists') return counted(/** @type {object} */ (member), count)
      if (typeof member !== 'function') return member
      return (/** @type {unknown[]} */ ...given) => {
        count()
        return Reflect.apply(member, target, given)
      }
    },
  })

if (!areEnginesInstalled()) {
  console.log('Skipped, because redis-server and Postgres are not both installed.')
} else {
  const tables = []
  for (const start of [redis, postgres]) {
    const engine = await start()
    tables.push(await measure(engine))
    await engine.stop()
  }
  report('growth', tables)
}
