import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { signWebhook } from '../../src/webhooks.ts'
import { freePort } from '../support/free-port.ts'
import { startDatabase } from '../support/postgres-server.ts'
import { describeWith } from '../support/programs.ts'
import type { Service } from '../support/service-process.ts'
import { anEvent, secret } from '../support/webhook.ts'
import { describeInstalled, startProgram } from './program.ts'

describeInstalled('transactional-inbox', () => {
  describeWith('postgres', 'that libraries write in the transaction of the inbox', rules)
})

function rules() {
  let postgres: Service
  let pool: pg.Pool

  beforeAll(async () => {
    postgres = await startDatabase()
    pool = new pg.Pool({ connectionString: postgres.url }).on('error', () => {})
  })

  afterAll(async () => {
    await pool?.end()
    await postgres?.remove()
  })

  async function aServer(library: string) {
    const port = await freePort()
    const env = { DATABASE_URL: postgres.url, LIBRARY: library, PORT: String(port), FAIL_FOR: 'unlucky' }
    const program = startProgram('transactional-inbox', ['node', '--import', 'tsx', 'server.ts'], {
      ...env,
      SVC_WEBHOOK_SECRET: secret,
    })
    onTestFinished(() => void program.end('SIGKILL'))
    await program.printed(/listening/)
    // As the service does, because the inbox responds with 503 to a copy that waits for longer than two seconds.
    const untilHandled = async (send: () => Promise<Response>): Promise<Response> => {
      const response = await send()
      return response.status === 503 ? untilHandled(send) : response
    }
    const deliver = async (eventId: string, account: string) => {
      const event = anEvent({ event_id: eventId, session_id: `sess_${eventId}`, vendor_data: account })
      const { body, headers } = await signWebhook({ event, secret })
      const send = () => fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body, headers })
      const response = await untilHandled(send)
      return `${response.status} ${await response.text()}`
    }
    return { deliver, program }
  }

  const approvalsOf = async (account: string): Promise<number[]> => {
    const { rows } = await pool.query('SELECT approvals FROM accounts WHERE id = $1', [account])
    return rows.map(({ approvals }) => approvals)
  }

  it.each(['pg', 'drizzle', 'kysely'])(
    'with %s, an event counts once however often it is delivered, and not at all if its callback fails',
    async (library) => {
      const { deliver, program } = await aServer(library)
      const copies = await Promise.all(Array.from({ length: 5 }, () => deliver(`evt_${library}`, library)))
      expect(copies.sort()).toEqual([...Array(4).fill('200 duplicate'), '200 processed'])
      expect(await deliver(`second_${library}`, library)).toBe('200 processed')
      expect(await approvalsOf(library)).toEqual([2])

      expect(await deliver(`unlucky_${library}`, 'unlucky')).toBe('500 failed')
      expect(await approvalsOf('unlucky')).toEqual([])
      expect(await program.end('SIGTERM')).toBe(0)
    },
  )
}
