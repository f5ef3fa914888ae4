import { isSdkError, OutcomeUnknownError, ServerError } from '../../../src/index.ts'
import { clientOf, loadClient, type Responded } from '../client.ts'
import type { Protocol } from '../protocol.ts'
import { transportFaults } from '../request.ts'
import type { Process } from '../world.ts'

const timeoutMs = 5_000

/** The retries of a billed call: the service charges each idempotency key once, and each process makes one call. */
export const retries: Protocol = {
  name: 'retries',
  faults: ['crash', 'pause', ...transportFaults, 'replaced response', 'duplicate request'],
  pauseMs: 20_000,
  lateMs: timeoutMs + 1_000,
  turns: 3,
  prepare: loadClient,
  begin(world, { processes, rounds }) {
    /** What the service has charged, by key. */
    const ledger = new Map<string, string>()
    const ended = new Map<string, string>()
    const chargesOf = (call: string) => [...ledger.values()].filter((body) => body.includes(call)).length

    const serve = ({ key, body }: { key: string; body: string }): Responded => {
      if (key === '') world.violate('a billed request has no idempotency key')
      const charged = ledger.get(key)
      if (charged !== undefined && charged !== body) world.violate('a key was sent with another body')
      if (charged === undefined) ledger.set(key, body)
      for (const charge of ledger.values())
        if (chargesOf(charge) > 1) world.violate(`one call was charged twice: ${charge}`)
      return { status: 200 }
    }

    /** Number of responses to a process that were replaced by a page with the status 502. */
    const pagesFor = ({ suffered }: Process) => suffered.filter(({ fault }) => fault === 'replaced response').length

    const call = async (process: Process, role: string, round: number) => {
      const latitude = Number(role.slice(1)) * 10 + round
      const client = clientOf(process, { serve, options: { maxRetries: 1, timeoutMs } })
      let idempotencyKey = undefined as string | undefined
      for (;;) {
        const pagesBefore = pagesFor(process)
        try {
          await client.checks.location({ latitude }, idempotencyKey ? { idempotencyKey } : {})
          world.note(process, `the call ${latitude} succeeds`)
          if (chargesOf(`:${latitude}}`) !== 1) world.violate(`the call ${latitude} succeeded and was not charged once`)
          ended.set(`${role} ${round}`, 'ok')
          return
        } catch (error) {
          world.note(process, `the call ${latitude} fails: ${isSdkError(error) ? error.code : String(error)}`)
          // If each attempt got a 5xx, the error is that of the last one, and has the key too.
          const gotOnlyPages = error instanceof ServerError && pagesFor(process) - pagesBefore === error.attempts
          if (error instanceof OutcomeUnknownError || gotOnlyPages) idempotencyKey = error.idempotencyKey
          else if (idempotencyKey === undefined && chargesOf(`:${latitude}}`) > 0)
            world.violate(`the call ${latitude} was charged, and its outcome is not reported as unknown`)
          await process.timing.sleep(10_000, undefined)
        }
      }
    }
    for (let i = 1; i <= processes; i++)
      world.start(`p${i}`, async (process) => {
        const role = `p${i}`
        for (let round = 1; round <= rounds; round++) {
          if (ended.has(`${role} ${round}`)) continue
          // A process that crashes does not call again, because it has not kept its key.
          if (process.name !== role) ended.set(`${role} ${round}`, 'crashed')
          else await call(process, role, round)
        }
      })
    return {
      state: () => `${JSON.stringify([...ledger])} ${JSON.stringify([...ended])}`,
      atEnd() {
        for (const { name } of world.roles)
          if (!ended.has(`${name} ${rounds}`)) world.violate(`the call of ${name} never ended`)
      },
    }
  },
}
