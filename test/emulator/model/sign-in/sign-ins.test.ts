import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../../../src/emulator.ts'
import { ApiError, OidcClient, TokenValidationError } from '../../../../src/index.ts'
import { timing } from '../../../../src/runtime/timing.ts'
import { commandsOn, manyOf } from '../../../support/model-command.ts'
import { testTiming } from '../../../support/timing.ts'

/** What sections 4.7 and 5 say about a code. */
interface Code {
  readonly code: string
  readonly codeVerifier: string
  readonly nonce: string
  readonly user: string
  readonly issuedAt: number
  isUsed: boolean
}

/** What section 4.7 says about a refresh token: valid, rotated, or revoked without having been rotated. */
interface Refresh {
  readonly token: string
  readonly user: string
  state: 'valid' | 'rotated' | 'revoked'
}

interface Access {
  readonly token: string
  readonly user: string
  readonly issuedAt: number
}

class SignInModel {
  readonly codes: Code[] = []
  readonly refreshTokens: Refresh[] = []
  readonly accessTokens: Access[] = []
  /** Milliseconds since the start. */
  now = 0
}

interface Real {
  readonly oidc: OidcClient
  readonly emulator: Emulator
  readonly pass: (ms: number) => Promise<void>
}

const command = commandsOn<SignInModel, Real>()
const users = ['user_ada', 'user_bo']
const redirectUri = 'https://app.example/callback'
const index = fc.nat()
const nth = <One>(values: readonly One[], index: number): One | undefined => values[index % values.length]
const codeLifetimeMs = 120_000
const accessLifetimeMs = 900_000

/** Section 7 gives two statuses for it. */
const invalidGrant = async (call: PromiseLike<unknown>) => {
  const error = await Promise.resolve(call).then(
    () => expect.fail('the call succeeded instead of invalid_grant'),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    code: 'invalid_grant',
    status: expect.toSatisfy((status) => [400, 401].includes(status)),
  })
}

const anyCommand = [
  command('approve', { user: fc.constantFrom(...users) }, async (model, { oidc, emulator }, { user }) => {
    const { url, state, nonce, codeVerifier } = await oidc.createAuthorization({ redirectUri })
    const location = new URL(emulator.signIn.approve(url, { user }))
    // Section 4.7: the redirect has the code, and the state unchanged.
    expect(location.searchParams.get('state')).toBe(state)
    const code = location.searchParams.get('code') ?? ''
    expect(code).not.toBe('')
    model.codes.push({ code, codeVerifier, nonce, user, issuedAt: model.now, isUsed: false })
  }),
  command('exchange', { index }, async (model, { oidc }, { index }) => {
    const known = nth(model.codes, index)
    if (known === undefined) return
    const { code, codeVerifier, nonce, user } = known
    const exchanged = oidc.exchangeCode({ code, codeVerifier, nonce, redirectUri })
    // Section 5: a code is used once, within 2 minutes.
    if (known.isUsed || model.now - known.issuedAt > codeLifetimeMs) return invalidGrant(exchanged)
    // At the end of the 2 minutes, either is right.
    if (model.now - known.issuedAt === codeLifetimeMs) return void (await exchanged.catch(() => {}))
    const tokens = await exchanged
    known.isUsed = true
    expect(tokens.claims).toMatchObject({ sub: user, nonce })
    // Section 2.8.
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 900 })
    model.refreshTokens.push({ token: String(tokens.refresh_token), user, state: 'valid' })
    model.accessTokens.push({ token: tokens.access_token, user, issuedAt: model.now })
  }),
  command('exchange with another redirect_uri', { index }, async (model, { oidc }, { index }) => {
    const known = nth(model.codes, index)
    if (known === undefined) return
    const { code, codeVerifier } = known
    // Section 5: a code is bound to its redirect_uri.
    await invalidGrant(oidc.exchangeCode({ code, codeVerifier, redirectUri: 'https://app.example/other' }))
    // Whether the code can still be used is not shown.
    model.codes.splice(model.codes.indexOf(known), 1)
  }),
  command('refresh', { index }, async (model, { oidc }, { index }) => {
    const known = nth(model.refreshTokens, index)
    if (known === undefined) return invalidGrant(oidc.refresh('rt_unknown'))
    const refreshed = oidc.refresh(known.token)
    if (known.state === 'valid') {
      const tokens = await refreshed
      known.state = 'rotated'
      // Section 4.7: each refresh returns a new refresh token, and revokes the presented one.
      expect(model.refreshTokens.map(({ token }) => token)).not.toContain(tokens.refresh_token)
      model.refreshTokens.push({ token: String(tokens.refresh_token), user: known.user, state: 'valid' })
      model.accessTokens.push({ token: tokens.access_token, user: known.user, issuedAt: model.now })
      return
    }
    await invalidGrant(refreshed)
    if (known.state === 'revoked') return
    // Section 4.7: a rotated token revokes every refresh token of the user and the client.
    for (const one of model.refreshTokens) if (one.user === known.user && one.state === 'valid') one.state = 'revoked'
  }),
  command('access', { index }, async (model, { oidc }, { index }) => {
    const known = nth(model.accessTokens, index)
    if (known === undefined) return
    const outcome = await oidc.validateAccessToken(known.token).catch((thrown: unknown) => thrown)
    // Section 5: access tokens last about 900 seconds, and signatures are those of the published keys.
    const age = model.now - known.issuedAt
    if (age < accessLifetimeMs - 60_000) expect(outcome).toMatchObject({ sub: known.user })
    if (age > accessLifetimeMs + 60_000) {
      expect(outcome).toBeInstanceOf(TokenValidationError)
      expect(outcome).toMatchObject({ reason: 'expired' })
    }
  }),
  command('pass', { ms: fc.constantFrom(1_000, 60_000, 120_000, 400_000) }, async (model, { pass }, { ms }) => {
    await pass(ms)
    model.now += ms
  }),
]

it('codes, refresh tokens and access tokens do what sections 4.7 and 5 say, in any order of requests', async () => {
  const start = Date.UTC(2026, 2, 1)
  // Its keys are generated once, because that takes longer than all requests.
  const emulator = createEmulator({
    clock: () => new Date(start),
    users: users.map((sub) => ({ sub })),
    oidc: { redirectUris: [redirectUri, 'https://app.example/other'] },
  })
  await fc.assert(
    fc.asyncProperty(manyOf(anyCommand, 60), async (commands) => {
      emulator.reset()
      const { timing: clock, advance } = testTiming({ wallClock: () => emulator.clock.now().getTime() })
      const options: object = { ...emulator.options.oidc, maxRetries: 0, [timing]: clock }
      const pass = async (ms: number) => {
        await emulator.clock.advance(ms)
        await advance(ms)
      }
      const real = { oidc: new OidcClient(options), emulator, pass }
      await fc.asyncModelRun(() => ({ model: new SignInModel(), real }), commands)
    }),
    { numRuns: 30 },
  )
})
