import express from 'express'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator.ts'
import { expressSignIn } from '../../src/express.ts'
import {
  createSignInHandler,
  memoryStore,
  OidcClient,
  type SdkError,
  type SignInOptions,
  type Store,
  type TokenSet,
} from '../../src/index.ts'
import { listening } from './listening.ts'

export const cookieSecret = 'a secret of 32 characters or more'
const redirectUri = 'https://app.example.test/auth/callback'

/** The two adapters of sign-in. A rule for one is a rule for the other. */
export const forms = ['Express', 'fetch'] as const
export type Form = (typeof forms)[number]

export interface AppOptions extends Partial<SignInOptions> {
  readonly onError?: (error: SdkError) => void
  readonly onSignIn?: (tokens: TokenSet) => void
  readonly emulator?: EmulatorOptions
  readonly redirectUri?: string
  readonly store?: Store
}

/** A web app with sign-in at an emulator. */
export async function signInApp(form: Form, options: AppOptions = {}) {
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
    onError: (error: SdkError) => {
      failures.push(error)
      onError?.(error)
    },
    ...rest,
  }
  const recordSignIn = (tokens: TokenSet) => {
    onSignIn?.(tokens)
    signedIn.push(tokens)
    return undefined
  }
  const send = await { Express: overExpress, fetch: overFetch }[form]()
  return { emulator, oidc, signedIn, failures, send }

  async function overExpress() {
    const app = express()
    app.disable('x-powered-by')
    app.use(expressSignIn({ ...common, onSignIn: recordSignIn }))
    const { url } = await listening(app)
    return (path: string, init: RequestInit = {}) => fetch(url + path, { redirect: 'manual', ...init })
  }

  async function overFetch() {
    const handler = createSignInHandler({ ...common, onSignIn: recordSignIn })
    return (path: string, init: RequestInit = {}) =>
      handler.fetch(new Request(`https://app.example.test${path}`, init))
  }
}

const emulators = new Map<string, Emulator>()

/** Returns an emulator without state. Its signing key is reused, because creating one takes longer than most tests. */
function emulatorWith(options: EmulatorOptions): Emulator {
  const name = JSON.stringify(options)
  const emulator = emulators.get(name) ?? createEmulator(options)
  emulators.set(name, emulator)
  emulator.reset()
  return emulator
}

type App = Awaited<ReturnType<typeof signInApp>>

/** A browser with only what sign-in needs: it stores cookies, and does not follow redirects. */
export function browserOf({ send, emulator }: Pick<App, 'send' | 'emulator'>) {
  const cookies = new Map<string, string>()
  const visit = async (path: string): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await send(path, cookie === '' ? {} : { headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0(?:;|$)/.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  /** Visits the login route. @returns the URL of the consent page */
  const startSignIn = async () => (await visit('/login')).headers.get('location') ?? ''
  const pathAndQuery = (url: string) => url.slice(new URL(url).origin.length)
  return {
    cookies,
    visit,
    startSignIn,
    /** Approves on the consent page. @returns path and query of the callback */
    approve: (consent: string) => pathAndQuery(emulator.signIn.approve(consent)),
    /** Declines on the consent page. @returns path and query of the callback */
    deny: (consent: string) => pathAndQuery(emulator.signIn.deny(consent)),
  }
}
