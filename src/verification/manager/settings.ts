import { isJsonObject } from '../../contract/schema/schema.ts'
import { createSession } from '../../contract/verification/sessions.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { paramIssues } from '../../http/params/params.ts'
import { applicationOf } from '../../http/service-client.ts'
import { observationOf } from '../../observe/observation.ts'
import { Stream } from '../../observe/stream.ts'
import { checkMethods, checkOptions, kindOf, positiveWholeNumber, required } from '../../options/rules.ts'
import { writeRecord } from '../../runtime/logger.ts'
import { timingOf } from '../../runtime/timing.ts'
import { managerOptionRules, type VerificationLimit, type VerificationManagerOptions } from './options.ts'
import type { SessionService } from './session-service.ts'

const defaultLimit: VerificationLimit = { sessions: 3, perMs: 86_400_000 }
const defaultLeaseMs = 30_000

const calls = ['create', 'decision', 'list', 'retrieve', 'updateStatus'] as const

/**
 * Checks the options of a manager and fills in the defaults.
 *
 * @throws {ConfigurationError} an option is missing or has a wrong value
 */
export function readManagerOptions(options: VerificationManagerOptions) {
  checkOptions('createVerificationManager', options, managerOptionRules)
  const { client, store, session, onChange, now, startLeaseMs: leaseMs = defaultLeaseMs } = options
  const what = 'a VerificationClient'
  checkMethods('createVerificationManager', 'client', client, [], what)
  checkMethods('createVerificationManager', 'client.sessions', client.sessions, calls, `that of ${what}`)
  checkSession(session)
  const { name = 'default', requires = [] } = options
  const limit = readLimit(options.limit)
  const time = timingOf(options)
  const stream = new Stream({ observation: observationOf(client), timing: time })
  const service: SessionService = {
    sessions: client.sessions,
    requires: [...requires],
    warn: (message) => writeRecord(stream.logger, 'warn', `verifications: ${message}.`, {}),
  }
  return {
    service,
    stream,
    store,
    name,
    application: applicationOf(client),
    async paramsOf(subject: string) {
      const params = typeof session === 'function' ? await session(subject) : session
      if (isJsonObject(params)) return params
      throw misconfigured(`session must return an object, not ${kindOf(params)}`)
    },
    limit,
    spanMs: (limit ?? defaultLimit).perMs,
    onChange,
    leaseMs,
    timing: time,
    clock: () => {
      const ms = now ? Number(now()) : time.wallClock()
      if (Number.isFinite(ms)) return ms
      throw misconfigured('now must return a Date')
    },
  }
}

const misconfigured = (message: string) => new ConfigurationError({ message: `createVerificationManager: ${message}` })

function checkSession(session: VerificationManagerOptions['session']): void {
  if (session === undefined || session === null)
    throw misconfigured('session is missing: pass the params of new sessions, or a function that returns them')
  if (typeof session === 'function') return
  if (typeof session !== 'object' || Array.isArray(session))
    throw misconfigured(`session must be an object or a function, not ${kindOf(session)}`)
  // Without this, a misspelled param would be found when the first person starts.
  const issue = paramIssues(createSession, { body: session })[0]
  if (issue) throw misconfigured(`session.${issue.path} ${issue.message}`)
}

/** @returns `undefined` if there is no limit */
function readLimit(limit: VerificationManagerOptions['limit'] = defaultLimit): VerificationLimit | undefined {
  if (limit === false) return undefined
  checkOptions(
    'createVerificationManager',
    limit,
    {
      sessions: required(positiveWholeNumber),
      perMs: required(positiveWholeNumber),
    },
    'limit.',
  )
  return { ...limit }
}
