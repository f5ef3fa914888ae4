import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { testInbox, testStore } from '../../src/stores-testing.ts'
import { signWebhook } from '../../src/webhooks.ts'
import { freePort } from '../support/free-port.ts'
import { startMariadb } from '../support/mariadb-server.ts'
import { startDatabase } from '../support/postgres-server.ts'
import { describeWith, requireBinary } from '../support/programs.ts'
import type { Service } from '../support/service-process.ts'
import { anEvent, secret } from '../support/webhook.ts'
import { describeInstalled, examplePath, startProgram } from './program.ts'

const run = promisify(execFile)

const recipes = ['mysql2-store.ts', 'knex-inbox.ts', 'prisma-inbox.ts', 'typeorm-inbox.ts']

it.each(recipes)('%s has at most 80 lines, none of them very long', (file) => {
  const lines = readFileSync(examplePath(`databases/${file}`), 'utf8')
    .trimEnd()
    .split('\n')

  expect(lines.length).toBeLessThanOrEqual(80)
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120)
})

it('no recipe is missing in these tests', () => {
  const files = readdirSync(examplePath('databases')).filter((file) => /-(?:inbox|store)\.ts$/.test(file))

  expect(files.sort()).toEqual(recipes.toSorted())
})

describeInstalled('databases', () => {
  describeWith(
    ['postgres', 'mariadbd'],
    'that the recipes of examples/databases follow the rules of stores and inboxes',
    rules,
  )
})

function rules() {
  let postgres: Service
  let mariadb: Service
  let pool: pg.Pool

  beforeAll(async () => {
    ;[postgres, mariadb] = await Promise.all([startDatabase(), startMariadb()])
    pool = new pg.Pool({ connectionString: postgres.url }).on('error', () => {})
  })

  afterAll(async () => {
    await pool?.end()
    await Promise.all([postgres?.remove(), mariadb?.remove()])
  })

  const unused = () => expect.fail()
  const inboxRules = testInbox(unused, { write: unused, count: unused, query: unused, disconnect: unused })
  const suites: readonly (readonly [recipe: string, rules: Iterable<{ name: string }>])[] = [
    ['mysqlStore', testStore(unused)],
    ['prismaInbox', [...inboxRules, { name: 'aborts the signal if the callback takes too long' }]],
    ['typeormInbox', [...inboxRules, { name: 'aborts the signal if the connection is lost' }]],
    ['knexInbox', [...inboxRules, { name: 'aborts the signal if the connection is lost' }]],
  ]

  it.each(suites)('%s follows every rule', async (recipe, expected) => {
    const program = startProgram(
      'databases',
      ['node', '--import', 'tsx', '--test', '--test-reporter=tap', `--test-name-pattern=^${recipe} `, 'suites.test.ts'],
      { DATABASE_URL: postgres.url, MYSQL_URL: mariadb.url },
    )
    onTestFinished(() => void program.end('SIGKILL', 'group'))
    const code = await program.ended
    const passed = [...program.output().matchAll(new RegExp(`^ *ok \\d+ - ${recipe} ([^#\\n]+)$`, 'gm'))]

    expect(passed.map(([, rule]) => rule)).toEqual([...expected].map(({ name }) => name))
    expect(code).toBe(0)
  })

  async function aServer(library: string, env: Record<string, string> = {}) {
    const port = await freePort()
    const url = library === 'mysql2' ? mariadb.url : postgres.url
    const program = startProgram('databases', ['node', '--import', 'tsx', 'server.ts'], {
      DATABASE_URL: url,
      LIBRARY: library,
      PORT: String(port),
      SVC_WEBHOOK_SECRET: secret,
      LEASE_MS: '2000',
      ...env,
    })
    onTestFinished(() => void program.end('SIGKILL'))
    await program.printed(/listening/)
    const deliver = async (account: string) => {
      const event = anEvent({
        event_id: `evt_${account}`,
        session_id: `sess_${account}`,
        vendor_data: account,
      })
      const { body, headers } = await signWebhook({ event, secret })
      const response = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body, headers })
      return `${response.status} ${await response.text()}`
    }
    return { deliver, program }
  }

  async function approvalsOf(account: string, library: string): Promise<number> {
    if (library !== 'mysql2') {
      const { rows } = await pool.query('SELECT approvals FROM accounts WHERE id = $1', [account])
      return rows[0]?.approvals ?? 0
    }
    const select = `SELECT count(*) FROM tests.approvals WHERE account = '${account}'`
    const client = ['--no-defaults', '--host=127.0.0.1', `--port=${mariadb.port}`, '--user=root']
    const args = [...client, '--skip-column-names', '--batch', '--execute', select]
    return Number((await run(requireBinary('mariadb'), args)).stdout)
  }

  it.each(['prisma', 'typeorm', 'knex', 'mysql2'])(
    'with %s, an event counts once although a process was killed in the middle of its callback',
    async (library) => {
      const account = `${library}-user`
      const first = await aServer(library, { WAIT_FOR: account })
      const interrupted = first.deliver(account).catch(() => 'interrupted')
      await first.program.printed(/written, and not committed/)
      await first.program.end('SIGKILL')
      expect(await interrupted).toBe('interrupted')

      const second = await aServer(library)
      // With the store, the lease of the process that was killed has to end first.
      await expect.poll(() => second.deliver(account), { timeout: 20_000, interval: 200 }).toBe('200 processed')
      expect(await second.deliver(account)).toBe('200 duplicate')
      expect(await approvalsOf(account, library)).toBe(1)
      expect(await second.program.end('SIGTERM')).toBe(0)
    },
  )
}
