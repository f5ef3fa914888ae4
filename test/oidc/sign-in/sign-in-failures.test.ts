import { beforeEach, expect, it, vi } from 'vitest'
import { configure, memoryStore, type Store, StoreError, TokenValidationError } from '../../../src/index.ts'
import { timing } from '../../../src/runtime/timing.ts'
import { recordingLogger } from '../../support/recording-logger.ts'
import { type AppOptions, adapters, signInApp } from '../../support/sign-in-app.ts'
import { browserOf } from '../../support/sign-in-browser.ts'

const forBothAdapters = it.each(adapters.map((form) => ({ form })))
const written: string[] = []

beforeEach(() => {
  written.length = 0
  const write = vi.spyOn(console, 'error').mockImplementation((line) => void written.push(String(line)))
  return () => write.mockRestore()
})

const lines = () => written.map((text) => text.split('\n')[0])

/** An app without `onError`, whose clock the test advances. */
async function silentApp(form: (typeof adapters)[number], options: AppOptions = {}) {
  let now = 0
  const app = await signInApp(form, {
    onError: null,
    ...options,
    [timing]: { now: () => now },
  } as AppOptions)
  const passTime = (ms: number) => {
    now += ms
  }
  return { ...app, passTime }
}

forBothAdapters('$form: writes what onSignIn throws to console.error without onError and logger', async ({ form }) => {
  const app = await silentApp(form, {
    onSignIn: () => {
      throw new TypeError('no session')
    },
  })
  const { startSignIn, approve, visit } = browserOf(app)

  for (let i = 0; i < 2; i++) await visit(approve(await startSignIn())).catch(() => undefined)

  const own = lines().filter((line) => line?.startsWith('identity-service-sdk'))
  expect(own).toEqual(Array(2).fill('identity-service-sdk: onSignIn failed: TypeError: no session'))
})

forBothAdapters(
  '$form: writes no message of onSignIn if errorDetail is safe, because it may contain tokens',
  async ({ form }) => {
    configure({ errorDetail: 'safe' })
    const app = await silentApp(form, {
      onSignIn: ({ access_token, claims }) => {
        throw new TypeError(`no account for ${claims?.sub} (${access_token})`)
      },
    })
    const { startSignIn, approve, visit } = browserOf(app)

    await visit(approve(await startSignIn())).catch(() => undefined)

    expect(lines()).toContain(
      'identity-service-sdk: onSignIn failed: TypeError (its message is hidden: to see it, set SVC_ERROR_DETAIL=full)',
    )
  },
)

forBothAdapters('$form: writes a refused sign-in to console.error once a minute for each reason', async ({ form }) => {
  const { send, passTime } = await silentApp(form)
  const mismatch = () => send('/auth/callback?code=x&state=y')

  await mismatch()
  await mismatch()
  await send('/auth/callback')
  passTime(59_999)
  await mismatch()
  expect(lines()).toEqual([
    expect.stringMatching(/a sign-in was rejected: CallbackError \(.*state_mismatch\): \w+: state mismatch\. /),
    expect.stringMatching(/missing_code/),
  ])
  passTime(1)
  await mismatch()

  expect(lines()[2]).toMatch(/2 more.*state_mismatch/)
  expect(lines()).toHaveLength(3)
})

forBothAdapters('$form: writes the likely cause of a state mismatch', async ({ form }) => {
  const { send } = await silentApp(form, { redirectUri: 'http://localhost:3000/auth/callback' })

  await send('/auth/callback?code=x&state=y')

  expect(lines()).toEqual([expect.stringMatching(/state mismatch.*localhost and 127\.0\.0\.1 are different hosts/)])
})

forBothAdapters('$form: writes that a callback has no state, or more than one', async ({ form }) => {
  const { send } = await silentApp(form)

  await send('/auth/callback?code=x')
  await send('/auth/callback?code=x&state=a&state=b')

  expect(lines()).toEqual([
    expect.stringContaining('state mismatch. The callback has no state.'),
    expect.stringContaining('the callback has state more than once'),
  ])
})

forBothAdapters(
  '$form: responds with 400 to a token that is not valid, and with 502 if it could not be validated',
  async ({ form }) => {
    const reasons = ['nonce_mismatch', 'keys_unavailable'] as const
    for (const reason of reasons) {
      const { oidc } = await signInApp(form)
      const failing = {
        createAuthorization: () => oidc.createAuthorization(),
        handleCallback: () => Promise.reject(new TokenValidationError({ reason, message: 'no' })),
      }
      const { startSignIn, visit } = browserOf(await signInApp(form, { oidc: failing }))
      const state = new URL(await startSignIn()).searchParams.get('state')

      const response = await visit(`/auth/callback?code=x&state=${state}`)

      const isRejected = reason === 'nonce_mismatch'
      expect(response.status).toBe(isRejected ? 400 : 502)
      expect(await response.text()).toContain(
        isRejected
          ? 'The sign-in could not be confirmed, or it took too long.'
          : 'Sign-in is not available at the moment.',
      )
    }
  },
)

forBothAdapters('$form: writes each failure of the store to console.error', async ({ form }) => {
  const store: Store = { ...memoryStore(), set: () => Promise.reject(new Error('down')) }
  const { startSignIn, approve, visit } = browserOf(await silentApp(form, { store }))

  const callback = approve(await startSignIn())
  await visit(callback)
  await visit(callback)

  expect(lines()).toHaveLength(2)
  expect(lines()[0]).toMatch(/^identity-service-sdk: a sign-in failed: StoreError.*: the store of sign-ins failed/)
})

forBothAdapters('$form: writes what a client of the app throws to console.error', async ({ form }) => {
  const oidc = {
    createAuthorization: () => Promise.reject(new TypeError('not ready')),
    handleCallback: () => Promise.reject(new TypeError('not ready')),
  }
  const { send } = await silentApp(form, { oidc })

  await send('/login').catch(() => undefined)

  expect(lines()).toContain('identity-service-sdk: a sign-in failed: TypeError: not ready')
})

forBothAdapters('$form: writes nothing to console.error if there is an onError', async ({ form }) => {
  const { send, failures } = await signInApp(form)

  await send('/auth/callback?code=x&state=y')

  expect(failures).toHaveLength(1)
  expect(written).toEqual([])
})

forBothAdapters('$form: passes records to the logger instead of console.error', async ({ form }) => {
  const { logger, records } = recordingLogger()
  const store: Store = { ...memoryStore(), set: () => Promise.reject(new StoreError({ message: 'down' })) }
  configure({ logger })
  const { startSignIn, approve, visit } = browserOf(await silentApp(form, { store }))

  await visit(approve(await startSignIn()))
  await visit('/auth/callback')

  expect(written).toEqual([])
  expect(records).toEqual([
    ['debug', 'signIn.login succeeded', expect.anything()],
    ['debug', 'store.set failed', expect.anything()],
    ['error', expect.stringMatching(/a sign-in failed/), expect.anything()],
    ['warn', expect.stringMatching(/a sign-in was rejected/), expect.objectContaining({ reason: 'missing_code' })],
  ])
})

forBothAdapters('$form: writes nothing secret', async ({ form }) => {
  const app = await silentApp(form)
  const { startSignIn, approve, visit, cookies } = browserOf(app)
  app.emulator.faults.add({ match: 'oidc.exchangeCode', status: 400, code: 'invalid_grant' })
  const callback = approve(await startSignIn())
  const secrets = [...cookies.values(), ...new URLSearchParams(callback.split('?')[1]).values()]

  await visit(callback)

  expect(lines()).toEqual([expect.stringMatching(/invalid_grant/)])
  for (const secret of secrets) expect(written.join()).not.toContain(secret)
})

forBothAdapters('$form: sends the page and writes once a minute that onError throws', async ({ form }) => {
  const onError = () => {
    throw new Error('no log')
  }
  const { send } = await signInApp(form, { onError })

  for (let i = 0; i < 2; i++) {
    const response = await send('/auth/callback')
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('Sign in again')
  }

  expect(lines()).toEqual(['identity-service-sdk: onError threw: Error: no log'])
})

it('what redirect() of Next.js throws reaches the framework, and is not logged', async () => {
  const redirect = () => {
    throw Object.assign(new Error('NEXT_REDIRECT'), { digest: 'NEXT_REDIRECT;replace;/home;307;' })
  }
  const app = await signInApp('fetch', { onSignIn: redirect, onError: redirect })
  const { startSignIn, approve, deny, visit } = browserOf(app)

  for (const callback of [approve(await startSignIn()), deny(await startSignIn())])
    await expect(visit(callback)).rejects.toMatchObject({ digest: 'NEXT_REDIRECT;replace;/home;307;' })

  expect(lines()).toEqual([])
})
