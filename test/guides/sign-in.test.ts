import { beforeEach, expect, it } from 'vitest'
import type { CallbackReason } from '../../src/errors/sign-in-errors.ts'
import type { OidcClient } from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'
import { columnOf } from './reading.ts'

const page = 'docs/guides/sign-in.md'
const guide = documentedCode('docs/guides/sign-in.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

/** Signs in as one browser, and opens the callback twice. */
async function signInAt(port: number, choose: 'approve' | 'deny' = 'approve') {
  const login = await fetch(`http://127.0.0.1:${port}/login`, { redirect: 'manual' })
  const cookie = String(login.headers.get('set-cookie')).split(';')[0] as string
  const callback = emulator.signIn[choose](String(login.headers.get('location')))
  const visit = () => fetch(callback, { headers: { cookie }, redirect: 'manual' })
  return { first: await visit(), second: await visit() }
}

it('the Express app signs a person in once and keeps the session', async () => {
  const printed = await guide.whileServing('Express', async (port) => {
    const { first, second } = await signInAt(port)
    const session = first.headers.getSetCookie().find((cookie) => cookie.startsWith('session='))
    const home = (cookie: string) => fetch(`http://127.0.0.1:${port}/`, { headers: { cookie }, redirect: 'manual' })

    expect(first.status).toBe(303)
    expect(second.status).toBe(400)
    expect(await (await home(String(session).split(';')[0] as string)).text()).toBe('hello user_sample')
    expect((await home('session=guessed')).headers.get('location')).toBe('/login?returnTo=%2F')
  })

  expect(printed).toMatch(/^identity-service-sdk: a sign-in was rejected: CallbackError \(.*state_mismatch\)/)
})

it('the Hono handler signs a person in and reports that a person declined', async () => {
  const printed = await guide.whileServing('Hono, Next.js and Workers', async (port) => {
    expect(await (await signInAt(port)).first.json()).toEqual({ sub: 'user_sample' })
    expect((await signInAt(port, 'deny')).first.status).toBe(400)
  })

  expect(printed).toMatch(/a sign-in was rejected: CallbackError \(.*authorization_error\)/)
})

it('a client has the redirect URIs of several hosts', async () => {
  const { oidc } = await guide.load<{ oidc: OidcClient }>('Several hosts')

  expect(oidc.redirectUri).toHaveLength(2)
})

it('the handler for Next.js is tested with both of its bundlers', () => {
  guide.testedElsewhere('Next.js', 'test/examples/next.test.ts')
})

interface OtherFramework {
  startSignIn(): Promise<{ url: string; login: object }>
  finishSignIn(url: string, login: object): Promise<{ status: number }>
}

it('a sign-in without a framework ends with the person or with a reason', async () => {
  const { startSignIn, finishSignIn } = await guide.load<OtherFramework>('Other frameworks')
  const [first, second] = [await startSignIn(), await startSignIn()]
  const callback = emulator.signIn.approve(first.url)

  expect(await finishSignIn(callback, second.login)).toEqual({ status: 400, reason: 'state_mismatch' })
  expect(await finishSignIn(callback, first.login)).toEqual({
    status: 200,
    sub: 'user_sample',
    expires_in: 900,
  })
})

const callbackReasons: Record<CallbackReason, true> = {
  authorization_error: true,
  missing_code: true,
  state_mismatch: true,
  issuer_mismatch: true,
  repeated_parameter: true,
}

it('the table lists every reason of a callback', () => {
  const listed = columnOf(page, 'Callback errors').filter((cell) => cell in callbackReasons)

  expect(listed).toEqual(Object.keys(callbackReasons))
})
