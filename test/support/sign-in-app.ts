import express from 'express'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator.ts'
import { expressSignIn } from '../../src/express.ts'
import {
  createSignInHandler,
  memoryStore,
  OidcClient,
  type SdkError,
  type Store,
  type TokenSet,
} from '../../src/index.ts'
import type { SignInOptions } from '../../src/oidc/sign-in/sign-in.ts'
import { serveListener } from './serve-listener.ts'

export const cookieSecret = 'a secret of 32 characters or more'
const redirectUri = 'https://app.example.test/auth/callback'

/** The two adapters of sign-in. A rule for one is a rule for the other. */
export const adapters = ['Express', 'fetch'] as const
export type Adapter = (typeof adapters)[number]

export interface AppOptions extends Partial<SignInOptions> {
  /** `null` for none. By default, errors are recorded. */
  readonly onError?: ((error: SdkError, ...context: unknown[]) => unknown) | null
  readonly onSignIn?: (tokens: TokenSet, ...others: unknown[]) => void
  readonly emulator?: EmulatorOptions
  readonly redirectUri?: string
  readonly store?: Store
}

/** A web app with sign-in at an emulator. */
export async function signInApp(adapter: Adapter, options: AppOptions = {}) {
  const { onError, onSignIn, redirectUri: callbackUrl = redirectUri, emulator: emulated, ...rest } = options
  const emulator = emulatorWith({ oidc: { redirectUris: [callbackUrl] }, ...emulated })
  const oidc = new OidcClient({ ...emulator.options.oidc, redirectUri: callbackUrl })
  const signedIn: TokenSet[] = []
  const failures: SdkError[] = []
  const paths = { callback: '/auth/callback' }
  const common = {
    oidc,
    store: memoryStore(),
    cookieSecret,
    paths,
    ...(onError === null ? {} : { onError: recordError }),
    ...rest,
  }
  function recordError(error: SdkError, ...context: unknown[]) {
    failures.push(error)
    return onError?.(error, ...context) as undefined
  }
  const recordSignIn = (tokens: TokenSet, ...others: unknown[]) => {
    onSignIn?.(tokens, ...others)
    signedIn.push(tokens)
    return undefined
  }
  const send = await { Express: overExpress, fetch: overFetch }[adapter]()
  return { emulator, oidc, signedIn, failures, send }

  async function overExpress() {
    const app = express()
    app.disable('x-powered-by')
    app.use(expressSignIn({ ...common, onSignIn: recordSignIn }))
    const { url } = await serveListener(app)
    return (path: string, init: RequestInit = {}) => fetch(url + path, { redirect: 'manual', ...init })
  }

  async function overFetch() {
    const handler = createSignInHandler({ ...common, onSignIn: recordSignIn })
    return (path: string, init: RequestInit = {}) => handler.fetch(new Request(`https://app.example.test${path}`, init))
  }
}

export type SignInApp = Awaited<ReturnType<typeof signInApp>>

const emulators = new Map<string, Emulator>()

/** Returns an emulator without state. Its signing key is reused, because creating one takes longer than most tests. */
function emulatorWith(options: EmulatorOptions): Emulator {
  const name = JSON.stringify(options)
  const emulator = emulators.get(name) ?? createEmulator(options)
  emulators.set(name, emulator)
  emulator.reset()
  return emulator
}
