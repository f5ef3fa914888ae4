import { expect } from 'vitest'
import { rosterOf } from '../support/roster.ts'
import { inProcess } from '../support/service.ts'
import { signInAt } from '../support/sign-in.ts'
import { visitor } from './visitor.ts'

interface FormVisit {
  readonly press: ReturnType<typeof visitor>['press']
  readonly url: string
  /** The fields that a person sends to agree. */
  readonly fields: Record<string, string>
  /** Fails if the form changed anything. */
  readonly unchanged: () => Promise<void>
}

async function hosted(): Promise<FormVisit> {
  const { emulator, session, statusOf } = inProcess()
  const { session_id, url } = await session()
  return {
    ...visitor(emulator),
    url,
    fields: { choice: 'approve' },
    unchanged: async () => expect(await statusOf(session_id)).toBe('NOT_STARTED'),
  }
}

async function consent(): Promise<FormVisit> {
  const { emulator, authorizationUrl } = signInAt(inProcess())
  return {
    ...visitor(emulator),
    url: authorizationUrl(),
    fields: { choice: 'approve' },
    // A rejected form issues no code to any application, so there is nothing to check.
    unchanged: async () => {},
  }
}

async function activation(): Promise<FormVisit> {
  const email = 'ada@example.com'
  const { emulator, resolve } = rosterOf(inProcess({ members: [{ email, status: 'link_sent' }] }))
  return {
    ...visitor(emulator),
    url: emulator.members.activationLink(email) as string,
    fields: { choice: 'connect' },
    unchanged: async () => expect((await resolve({ email })).member?.status).toBe('link_sent'),
  }
}

/** The forms of all pages for end users, each with its own emulator. */
export const everyForm: [name: string, visit: () => Promise<FormVisit>][] = [
  ['the hosted page', hosted],
  ['the consent page', consent],
  ['the activation page', activation],
]
