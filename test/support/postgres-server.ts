import { execFile } from 'node:child_process'
import { chown } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort, requireBinary, type Service, serviceFolder, startService } from './services.ts'

const run = promisify(execFile)

/** Crash-safe settings cost seconds, and these tests crash the server alone, never the machine. */
const settings = { fsync: 'off', listen_addresses: '127.0.0.1', max_connections: '200', autovacuum: 'off' }

/** A Postgres server with one empty database. Making its files takes seconds: start one a test file. */
export async function startPostgres(): Promise<Service> {
  const [port, folder, user] = await Promise.all([freePort(), serviceFolder('postgres'), unprivileged()])
  if (user) await chown(folder, user.uid, user.gid)
  const command = requireBinary('postgres')
  const data = join(folder, 'data')
  const make = ['--pgdata', data, '--username', 'tester', '--auth', 'trust', '--encoding', 'UTF8']
  const initdb = join(dirname(command), 'initdb')
  await run(initdb, [...make, '--locale', 'C', '--no-sync'], { cwd: folder, ...user })
  const url = `postgres://tester@127.0.0.1:${port}/postgres`
  return startService({
    command,
    args: [
      ...['-D', data, '-k', folder, '-p', String(port)],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    port,
    url,
    folder,
    user,
    ready: () => answers(url),
  })
}

/** Postgres refuses to run as root: then it runs as the user that its package made. */
async function unprivileged(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const idOf = async (which: string) => Number((await run('id', [which, 'postgres'])).stdout)
  return { uid: await idOf('-u'), gid: await idOf('-g') }
}

async function answers(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
  } finally {
    await client.end()
  }
}
