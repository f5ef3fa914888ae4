import { expect } from 'vitest'
import { emulated } from '../emulated.ts'
import { organization } from '../organization.ts'
import { signedIn } from '../signed-in.ts'
import { visitor } from './visitor.ts'

interface FormVisit {
  readonly press: ReturnType<typeof visitor>['press']
  readonly url: string
  /** What is sent by somebody who agrees. */
  readonly fields: Record<string, string>
  /** Fails if anything was done. */
  readonly unchanged: () => Promise<void>
}

async function hosted(): Promise<FormVisit> {
  const { emulator, session, statusOf } = emulated()
  const { session_id, url } = await session()
  return {
    ...visitor(emulator),
    url,
    fields: { choice: 'approve' },
    unchanged: async () => expect(await statusOf(session_id)).toBe('NOT_STARTED'),
  }
}

async function consent(): Promise<FormVisit> {
  const { emulator, authorizationUrl } = signedIn()
  return {
    ...visitor(emulator),
    url: authorizationUrl(),
    fields: { choice: 'approve' },
    // A code that nobody is sent back with opens nothing.
    unchanged: async () => {},
  }
}

async function activation(): Promise<FormVisit> {
  const email = 'ada@example.com'
  const { emulator, resolve } = organization({ members: [{ email, status: 'link_sent' }] })
  return {
    ...visitor(emulator),
    url: emulator.members.activationLink(email) as string,
    fields: { choice: 'connect' },
    unchanged: async () => expect((await resolve({ email })).member?.status).toBe('link_sent'),
  }
}

/** Every form of the pages for people, each at an emulator of its own. */
export const everyForm: [name: string, visit: () => Promise<FormVisit>][] = [
  ['the hosted page', hosted],
  ['the consent page', consent],
  ['the activation page', activation],
]
