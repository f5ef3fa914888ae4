import {
  createSession,
  listSessions,
  retrieveDecision,
  retrieveSession,
  type Session,
  updateSessionStatus,
} from '../../contract/verification/sessions.ts'
import { hostedAddress } from '../model/addresses.ts'
import { allowsCallback } from '../model/options/options.ts'
import { serviceError } from '../model/service-error.ts'
import type { ServiceState } from '../model/service-state.ts'
import { decisionOf, type HostedSession } from '../model/sessions/hosted-session.ts'
import { scenarioOf } from '../model/sessions/scenarios.ts'
import { type Operation, serve } from './operation.ts'

/** The contract documents no default. One hour is enough for a person, and short enough to notice in a test. */
const defaultTtlSeconds = 3600

/** The latest time that a `Date` can represent, in milliseconds. */
const maxTime = 8.64e15

const briefSession = (session: HostedSession, origin: string): Session => ({
  session_id: session.id,
  status: session.status,
  url: hostedAddress(session, origin),
  session_token: session.token,
  features: session.workflow.features,
  redirect_url: session.redirectUrl ?? null,
  expires_at: session.expiresAt.toISOString(),
})

/** A retrieved session. The contract lists these values, but does not document their names, so the names are ours. */
export const fullSession = (session: HostedSession, origin: string) => ({
  ...briefSession(session, origin),
  workflow_id: session.workflow.id,
  vendor_data: session.vendorData ?? null,
  created_at: session.createdAt.toISOString(),
  updated_at: session.updatedAt.toISOString(),
})

/** Serves sessions (contract, section 4.1). */
export function sessionOperations({ sessions, workflows, clock, settings }: ServiceState): Operation[] {
  const find = (id: string | undefined) => {
    const session = sessions.find(id ?? '')
    if (session === undefined) throw serviceError('not_found')
    return session
  }

  return [
    serve(createSession, ({ body, origin }) => {
      const { workflow_id, redirect_url, callback, vendor_data, metadata, ttl_seconds = defaultTtlSeconds } = body
      if (ttl_seconds < 1 || clock.now().getTime() + ttl_seconds * 1000 > maxTime)
        throw serviceError('validation_error', {
          message: 'ttl_seconds: must be positive, and not so large that expires_at is no longer a valid date',
        })
      const workflow = workflows.get(workflow_id)
      if (callback !== undefined && !allowsCallback(settings.webhooks, callback))
        throw serviceError('callback_not_allowed', {
          message: `The callback is not approved. The emulator accepts ${
            settings.webhooks.destinations?.join(', ') ?? 'addresses of this machine'
          } (webhooks.destinations, --callback).`,
        })
      const session = sessions.create({
        workflow,
        redirectUrl: redirect_url,
        callback,
        vendorData: vendor_data,
        metadata,
        ttlSeconds: ttl_seconds,
      })
      const scenario = scenarioOf(session)
      // After the response, which shows the session as it was created.
      if (scenario) queueMicrotask(() => void sessions.complete(session.id, scenario.status, scenario.checks))
      return briefSession(session, origin)
    }),
    serve(listSessions, ({ query: { status, vendor_data, limit }, origin }) => {
      if (limit !== undefined && limit < 1)
        throw serviceError('validation_error', { message: 'limit: must be positive' })
      const found = sessions
        .all()
        .filter((session) => status === undefined || session.status === status)
        .filter((session) => vendor_data === undefined || session.vendorData === vendor_data)
      return found.slice(0, limit).map((session) => fullSession(session, origin))
    }),
    serve(retrieveSession, ({ ids, origin }) => fullSession(find(ids.id), origin)),
    serve(retrieveDecision, ({ ids }) => decisionOf(find(ids.id))),
    serve(updateSessionStatus, ({ ids, body, origin }) =>
      fullSession(sessions.override(ids.id ?? '', body.status), origin),
    ),
  ]
}
