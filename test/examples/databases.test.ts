import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { testStore } from '../../src/stores-testing.ts'
import { signWebhook } from '../../src/webhooks.ts'
import { freePort } from '../support/free-port.ts'
import { startMariadb } from '../support/mariadb-server.ts'
import { startDatabase, startPostgres } from '../support/postgres-server.ts'
import { describeWith, requireBinary } from '../support/programs.ts'
import type { Service } from '../support/service-process.ts'
import { anEvent, secret } from '../support/webhook.ts'
import { describeInstalled, examplePath, startProgram } from './program.ts'

const run = promisify(execFile)
const sqlOf = (file: string) => readFileSync(examplePath(`databases/${file}`), 'utf8')

/** Where a program stands still: its COMMIT has not reached the database, or the response has not reached the program. */
type Place = 'before the commit' | 'between the commit and the response'

describeInstalled('databases', () => {
  describeWith(['postgres', 'mariadbd'], 'that the recipes of examples/databases work', rules)
})

function rules() {
  let postgres: Service
  let mariadb: Service
  let pool: pg.Pool

  beforeAll(async () => {
    ;[postgres, mariadb] = await Promise.all([startDatabase(), startMariadb()])
    pool = new pg.Pool({ connectionString: postgres.url }).on('error', () => {})
    await Promise.all([pool.query(sqlOf('postgres.sql')), inMariadb(sqlOf('mysql.sql'))])
  })

  afterAll(async () => {
    await pool?.end()
    await Promise.all([postgres?.remove(), mariadb?.remove()])
  })

  async function inMariadb(sql: string): Promise<string> {
    const client = ['--no-defaults', '--host=127.0.0.1', `--port=${mariadb.port}`, '--user=root']
    const args = [...client, '--skip-column-names', '--batch', '--execute', sql, 'tests']
    return (await run(requireBinary('mariadb'), args)).stdout
  }

  async function mailsOf(session: string, library: string): Promise<number> {
    const count = `SELECT count(*) FROM mails WHERE session_id = '${session}'`
    return Number(library === 'mysql2' ? await inMariadb(count) : (await pool.query(count)).rows[0].count)
  }

  it('the store on mysql2 follows every rule of stores', async () => {
    const program = startProgram(
      'databases',
      ['node', '--import', 'tsx', '--test', '--test-reporter=tap', 'mysql2-store.test.ts'],
      { MYSQL_URL: mariadb.url },
    )
    onTestFinished(() => void program.end('SIGKILL', 'group'))
    const code = await program.ended
    const passed = [...program.output().matchAll(/^ *ok \d+ - ([^#\n]+)$/gm)].map(([, rule]) => rule)

    const expected = [...testStore(() => expect.fail())].map(({ name }) => name)
    expect(passed).toEqual(expect.arrayContaining(expected))
    expect(code, program.output()).toBe(0)
  })

  async function aProgram(library: string, eventId: string, databasePort?: number) {
    const port = await freePort()
    const url = new URL(library === 'mysql2' ? mariadb.url : postgres.url)
    if (databasePort) url.port = String(databasePort)
    const program = startProgram('databases', ['node', '--import', 'tsx', `${library}.ts`], {
      DATABASE_URL: url.href,
      PORT: String(port),
      SVC_WEBHOOK_SECRET: secret,
    })
    onTestFinished(() => void program.end('SIGKILL'))
    await program.printed(/listening/)
    const deliver = async (event_id = eventId) => {
      const { body, headers } = await signWebhook({ event: anEvent({ event_id, session_id: eventId }), secret })
      const signal = AbortSignal.timeout(25_000) // much less than a sender waits
      const response = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body, headers, signal })
      return `${response.status} ${((await response.json()) as { outcome: string }).outcome}`
    }
    return { deliver, program, port }
  }

  it('a sender who leaves does not end the process', async () => {
    const { deliver, port } = await aProgram('pg', 'evt_left')
    const sender = connect(port, '127.0.0.1')
    sender.write('POST /webhooks HTTP/1.1\r\nhost: app\r\ncontent-length: 100\r\n\r\n{')
    await setTimeout(500)
    sender.destroy()
    await setTimeout(500)
    expect(await deliver()).toBe('200 processed')
  })

  it.each(['pg', 'prisma', 'mysql2'])('with %s, no event waits for a database that is silent', async (library) => {
    const server = library === 'mysql2' ? await startMariadb() : await startPostgres()
    onTestFinished(() => server.remove())
    const { deliver } = await aProgram(library, `evt_silent_${library}`, server.port)
    // One connection is in the pool then, and the second event opens another. There are no tables here.
    expect(await deliver()).toBe('500 failed')
    server.signal('SIGSTOP')
    onTestFinished(() => server.signal('SIGCONT'))
    expect(await Promise.all([deliver(), deliver('evt_other')])).toEqual(['500 failed', '500 failed'])
  })

  const libraries = ['pg', 'kysely', 'drizzle', 'prisma', 'mysql2']
  const places: Place[] = ['before the commit', 'between the commit and the response']

  it.each(libraries.flatMap((library) => places.map((place) => [library, place] as const)))(
    'with %s, an event has its effect once, although the process was killed %s',
    async (library, place) => {
      const eventId = `evt_${library}_${places.indexOf(place)}`
      const proxy = await stoppingAtCommit(library === 'mysql2' ? mariadb.port : postgres.port, place)
      const first = await aProgram(library, eventId, proxy.port)
      const interrupted = first.deliver().catch(() => 'interrupted')
      await proxy.reached
      await first.program.end('SIGKILL')
      expect(await interrupted).toBe('interrupted')
      expect(await mailsOf(eventId, library)).toBe(place === 'before the commit' ? 0 : 1)

      const second = await aProgram(library, eventId)
      expect(await second.deliver(), second.program.output()).toBe('200 processed')
      expect(await second.deliver()).toBe('200 duplicate')
      expect(await mailsOf(eventId, library)).toBe(1)
      expect(await second.program.end('SIGTERM')).toBe(0)
    },
  )
}

/** Forwards bytes to a database and back, until a program commits. Then it forwards nothing any more. */
async function stoppingAtCommit(databasePort: number, place: Place) {
  let reach = () => {}
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const server = createServer((program) => {
    const database = connect(databasePort, '127.0.0.1')
    let isCommitting = false
    program.on('data', (chunk) => {
      isCommitting ||= /\bcommit\b/i.test(chunk.toString('latin1'))
      if (isCommitting && place === 'before the commit') reach()
      else database.write(chunk)
    })
    database.on('data', (chunk) => {
      if (isCommitting) reach()
      else program.write(chunk)
    })
    for (const socket of [program, database]) {
      socket
        .on('error', () => {})
        .on('close', () => {
          program.destroy()
          database.destroy()
        })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, reached }
}
