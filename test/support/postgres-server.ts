import { execFile } from 'node:child_process'
import { chown } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { requireBinary } from './programs.ts'
import { type Service, serviceFolder, startService, unprivileged } from './service-process.ts'

const run = promisify(execFile)

/** Durable writes would cost seconds. These tests crash only the server, never the machine. */
const settings = { fsync: 'off', listen_addresses: '127.0.0.1', max_connections: '200', autovacuum: 'off' }

/** Creates an empty database, on the server that SVC_TESTS_POSTGRES names or else on a new one. */
export const startDatabase = (): Promise<Service> => {
  const { SVC_TESTS_POSTGRES: common } = process.env
  return common === undefined ? startPostgres() : databaseOf(common)
}

/** Starts a Postgres server with one empty database. This takes seconds, so start one for each test file. */
export async function startPostgres(): Promise<Service> {
  const [folder, user] = await Promise.all([serviceFolder('postgres'), unprivileged('postgres')])
  if (user) await chown(folder, user.uid, user.gid)
  const command = requireBinary('postgres')
  const data = join(folder, 'data')
  const make = ['--pgdata', data, '--username', 'tester', '--auth', 'trust', '--encoding', 'UTF8']
  const initdb = join(dirname(command), 'initdb')
  await run(initdb, [...make, '--locale', 'C', '--no-sync'], { cwd: folder, ...user })
  const port = await freePort()
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
    ready: () => selectOne(url),
  })
}

/** Creates a database on a shared server. `start`, `stop` and `signal` do nothing. */
async function databaseOf(server: string): Promise<Service> {
  const name = `tests_${process.hrtime.bigint()}`
  const admin = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }
  await admin(`CREATE DATABASE ${name}`)
  const url = new URL(name, server)
  return {
    port: Number(url.port),
    url: url.href,
    start: async () => {},
    stop: async () => {},
    signal: () => {},
    // Roles belong to the whole server, so they are dropped too. The next tests create their own.
    remove: () =>
      admin(
        `DROP DATABASE ${name} WITH (FORCE)`,
        `DO $$ DECLARE role text; BEGIN
  FOR role IN SELECT rolname FROM pg_roles WHERE rolname !~ '^pg_' AND rolname <> current_user LOOP
    EXECUTE format('DROP ROLE %I', role);
  END LOOP;
END $$`,
      ),
  }
}

async function selectOne(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
  } finally {
    await client.end()
  }
}
