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

/** Both ways to build sign-in into a web app. What holds for one must hold for the other. */
export const forms = ['Express', 'fetch'] as const
export type Form = (typeof forms)[number]

export interface AppOptions extends Partial<SignInOptions> {
  readonly onError?: (error: SdkError) => void
  readonly onSignIn?: (tokens: TokenSet) => void
  readonly emulator?: EmulatorOptions
  readonly redirectUri?: string
  readonly store?: Store
}

/** A web app whose people sign in at an emulator. */
export async function signInApp(form: Form, options: AppOptions = {}) {
  const { onError, onSignIn, redirectUri: back = redirectUri, emulator: emulated, ...rest } = options
  const emulator = emulatorWith({ oidc: { redirectUris: [back] }, ...emulated })
  const oidc = new OidcClient({ ...emulator.options.oidc, redirectUri: back })
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
  const take = (tokens: TokenSet) => {
    onSignIn?.(tokens)
    signedIn.push(tokens)
    return undefined
  }
  const send = await { Express: overExpress, fetch: overFetch }[form]()
  return { emulator, oidc, signedIn, failures, send }

  async function overExpress() {
    const app = express()
    app.disable('x-powered-by')
    app.use(expressSignIn({ ...common, onSignIn: take }))
    const { url } = await listening(app)
    return (path: string, init: RequestInit = {}) => fetch(url + path, { redirect: 'manual', ...init })
  }

  async function overFetch() {
    const handler = createSignInHandler({ ...common, onSignIn: take })
    return (path: string, init: RequestInit = {}) =>
      handler.fetch(new Request(`https://app.example.test${path}`, init))
  }
}

const emulators = new Map<string, Emulator>()

/** A fresh one, but for its signing key: making one takes longer than most tests. */
function emulatorWith(options: EmulatorOptions): Emulator {
  const name = JSON.stringify(options)
  const emulator = emulators.get(name) ?? createEmulator(options)
  emulators.set(name, emulator)
  emulator.reset()
  return emulator
}

type App = Awaited<ReturnType<typeof signInApp>>

/** A browser as far as sign-in needs one: it keeps cookies and follows nothing by itself. */
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
  /** Goes to the consent page. @returns its address */
  const begin = async () => (await visit('/login')).headers.get('location') ?? ''
  /** Path and query of the callback. */
  const pathOf = (address: string) => address.slice(new URL(address).origin.length)
  return {
    cookies,
    visit,
    begin,
    approve: (consent: string) => pathOf(emulator.signIn.approve(consent)),
    deny: (consent: string) => pathOf(emulator.signIn.deny(consent)),
  }
}
