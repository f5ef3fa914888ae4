import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions, type EmulatorServer } from '../../src/emulator.ts'
import { freePort } from '../support/free-port.ts'
import { endPrograms, type Program, startProgram } from './program.ts'

/** The emulator that the examples of a test file use. */
export interface Emulated {
  readonly emulator: Emulator
  /** The environment variables with which an example uses the emulator. */
  readonly settings: Readonly<Record<string, string>>
}

/** The secret of the app's own sessions. */
const ownSecret = 'another secret of 32 characters!'

/** Creates an emulator for a test file, and resets it before each test. */
export function emulated(options: EmulatorOptions = {}): Emulated {
  const emulator = createEmulator(options)
  let service: EmulatorServer
  beforeAll(async () => {
    service = await emulator.listen()
  })
  beforeEach(() => emulator.reset())
  afterAll(async () => {
    endPrograms()
    await service.close()
  })
  return {
    emulator,
    get settings() {
      const { verification, oidc } = emulator.options
      return {
        // The emulator is meant, also by programs that run in production mode, as `next start` does.
        SVC_EMULATOR_ONLY: '1',
        SVC_BASE_URL: service.url,
        SVC_ORG_BASE_URL: service.url,
        SVC_API_KEY: verification.apiKey,
        SVC_CLIENT_ID: oidc.clientId,
        SVC_CLIENT_SECRET: oidc.clientSecret,
        SVC_WEBHOOK_SECRET: emulator.webhooks.secret,
        SVC_COOKIE_SECRET: 'a secret of thirty-two characters',
        SESSION_SECRET: ownSecret,
        AUTH_SECRET: ownSecret,
        BETTER_AUTH_SECRET: ownSecret,
        TOKEN_KEY: Buffer.alloc(32, 'k').toString('base64url'),
      }
    },
  }
}

/** Rejects a token, and a secret of the settings, in what an app has printed. */
export function expectNoSecrets({ output }: Program, settings: Emulated['settings']): void {
  expect(output()).not.toMatch(/eyJ/)
  for (const name of Object.keys(settings).filter((name) => /_(?:SECRET|KEY)$/.test(name)))
    expect(output()).not.toContain(settings[name])
}

/** A web app of the examples, listening on a port. */
export interface App extends Program {
  readonly port: number
  readonly url: string
}

/**
 * Starts a web app and waits until it listens.
 *
 * @param at the port, a free one by default
 */
export async function startApp(
  folder: string,
  command: readonly string[],
  settings: Readonly<Record<string, string>>,
  at?: number,
): Promise<App> {
  const port = at ?? (await freePort())
  const program = startProgram(folder, command, { ...settings, PORT: String(port) })
  await program.printed(/listening on|Ready in/)
  return { ...program, port, url: `http://127.0.0.1:${port}` }
}
