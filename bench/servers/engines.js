// Starts Redis and Postgres for a measurement, each with what it costs.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ownDependency, rootFolder } from '../own.js'

/**
 * `add` writes copies of a person's record under other names, faster than one operation of the store for each.
 *
 * @typedef {{
 *   name: string
 *   store: import('identity-service-sdk').ListingStore
 *   add(record: string, from: number, to: number): Promise<void>
 *   bytes(): Promise<number>
 *   cpuMs(): number
 *   stop(): Promise<void>
 * }} Engine
 */

const prefix = 'verification:default:'

/** Starts Redis alone. */
export async function redisServer() {
  const port = await freePort()
  const server = spawn('redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no'])
  return { url: `redis://127.0.0.1:${port}`, server, stop: () => ended(server) }
}

/** @returns {Promise<Engine>} */
export async function redis() {
  const { createClient } = await ownDependency('redis')
  const { redisStore } = await import(join(rootFolder, 'dist/stores/redis.js'))
  const { url, server, stop } = await redisServer()
  const client = createClient({ url }).on('error', () => {})
  await client.connect()
  const store = redisStore(client)
  return {
    name: `Redis ${(await client.info('server')).match(/redis_version:([\d.]+)/)?.[1]}`,
    store,
    async add(record, from, to) {
      const atOnce = 2_000
      for (let n = from; n < to; n += atOnce) {
        const names = Array.from({ length: Math.min(atOnce, to - n) }, (_, i) => `${prefix}approved-${n + i}`)
        await Promise.all(names.map((name) => store.set(name, record)))
      }
    },
    bytes: async () => Number((await client.info('memory')).match(/used_memory_dataset:(\d+)/)?.[1]),
    cpuMs: () => cpuMsOf(Number(server.pid)),
    async stop() {
      client.destroy()
      await stop()
    },
  }
}

/** @returns {Promise<Engine>} */
export async function postgres() {
  const { default: pg } = await ownDependency('pg')
  const { postgresStore } = await import(join(rootFolder, 'dist/stores/postgres.js'))
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'growth-'))
  const user = userOfPostgres()
  if (user) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const options = { cwd: folder, ...user }
  const make = ['--pgdata', data, '--username', 'bench', '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C']
  execFileSync(programOfPostgres('initdb'), make, { ...options, stdio: 'ignore' })
  const server = spawn(
    programOfPostgres('postgres'),
    ['-D', data, '-k', folder, '-p', String(port), '-c', 'fsync=off', '-c', 'max_wal_size=8GB'],
    { ...options, stdio: 'ignore' },
  )
  const pool = new pg.Pool({ connectionString: `postgres://bench@127.0.0.1:${port}/postgres`, max: 10 })
  pool.on('error', () => {})
  const version = await whenReady(() => pool.query('SHOW server_version'))
  const store = postgresStore(pool)
  return {
    name: `Postgres ${version.rows[0].server_version.split(' ')[0]}`,
    store,
    async add(record, from, to) {
      await store.get('')
      await pool.query(
        `INSERT INTO svc_store (key, value, expires_at)
        SELECT $2 || n, $1, 'infinity' FROM generate_series($3::int, $4::int - 1) AS n`,
        [record, `${prefix}approved-`, from, to],
      )
      await pool.query('VACUUM ANALYZE svc_store')
    },
    bytes: async () => Number((await pool.query(`SELECT pg_total_relation_size('svc_store') AS size`)).rows[0].size),
    cpuMs: () => cpuMsOf(Number(server.pid)),
    async stop() {
      await pool.end()
      await ended(server)
      rmSync(folder, { recursive: true })
    },
  }
}

/** Whether the program of Redis is installed. */
export const isRedisInstalled = () => starts('redis-server')

/** Whether the programs of both engines are installed. */
export const areEnginesInstalled = () => isRedisInstalled() && starts(programOfPostgres('initdb'))

/** @param {string} program */
function starts(program) {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** @param {import('node:child_process').ChildProcess} server */
async function ended(server) {
  server.kill()
  await once(server, 'exit')
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  server.close()
  return port
}

/**
 * @template T
 * @param {() => Promise<T>} use
 * @returns {Promise<T>}
 */
async function whenReady(use) {
  for (let tries = 1; ; tries++) {
    try {
      return await use()
    } catch (error) {
      if (tries === 100) throw error
      await pause(100)
    }
  }
}

/** @param {string} name */
function programOfPostgres(name) {
  const versions = '/usr/lib/postgresql'
  const [newest] = readdirSync(versions).sort((a, b) => Number(b) - Number(a))
  return join(versions, String(newest), 'bin', name)
}

/** Postgres does not run as root. */
function userOfPostgres() {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (/** @type {string} */ which) => Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/**
 * Returns the CPU time of a process and of its children, in ticks of 10 ms.
 *
 * @param {number} pid
 */
function cpuMsOf(pid) {
  let ticks = 0
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      // The name of the program, which may contain spaces, is in parentheses.
      const [, parent, ...rest] = readFileSync(`/proc/${entry}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      if (Number(entry) === pid || Number(parent) === pid) ticks += Number(rest[9]) + Number(rest[10])
    } catch {
      // The process has ended.
    }
  }
  return ticks * 10
}
