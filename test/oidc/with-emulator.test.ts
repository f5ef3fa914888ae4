import { expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import { BadRequestError, GoneError, isErrorCode, OidcClient } from '../../src/index.ts'

const emulator = createEmulator({
  users: [{ sub: 'user_1', email: 'ada@example.test' }, { sub: 'user_2' }],
  members: [{ email: 'ada@example.test' }],
})

async function signIn(oidc: OidcClient, user?: string) {
  const login = await oidc.createAuthorization({ scope: ['profile'] })
  return oidc.handleCallback(emulator.signIn.approve(login.url, { user }), login)
}

it('signs a person in without a network', async () => {
  const tokens = await signIn(new OidcClient(emulator.options.oidc))

  expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'openid profile' })
  expect(tokens.claims).toMatchObject({
    iss: emulator.options.oidc.baseUrl,
    sub: 'user_1',
    aud: emulator.options.oidc.clientId,
    svc_org_member_id: expect.stringMatching(/^vmem_/),
  })
})

it('signs a person in over the network, with the URL of the server as issuer', async () => {
  const server = await emulator.listen()
  onTestFinished(() => server.close())
  const oidc = new OidcClient({ ...emulator.options.oidc, fetch: undefined })
  onTestFinished(() => oidc.close())

  const { claims } = await signIn(oidc, 'user_2')

  expect(claims).toMatchObject({ iss: server.url, sub: 'user_2' })
  expect(claims).not.toHaveProperty('svc_org_member_id')
})

it('validates its access token, and does not accept it as an id_token', async () => {
  const oidc = new OidcClient(emulator.options.oidc)
  const { access_token } = await signIn(oidc)

  await expect(oidc.validateAccessToken(access_token, { scope: 'profile' })).resolves.toMatchObject({
    sub: 'user_1',
  })
  await expect(oidc.validateAccessToken(access_token, { scope: 'zkp' })).rejects.toMatchObject({
    reason: 'missing_scope',
  })
  await expect(oidc.validateIdToken(access_token)).rejects.toMatchObject({ reason: 'unexpected_type' })
})

it('refreshes tokens, and throws invalid_grant if a refresh token is used twice', async () => {
  const oidc = new OidcClient(emulator.options.oidc)
  const { refresh_token, claims } = await signIn(oidc)
  const expected = { sub: claims.sub, iss: claims.iss }

  const refreshed = await oidc.refresh(String(refresh_token), { expected })
  const reused: unknown = await oidc.refresh(String(refresh_token)).catch((thrown: unknown) => thrown)

  expect(refreshed.claims).toMatchObject(expected)
  expect(reused).toBeInstanceOf(BadRequestError)
  expect(isErrorCode(reused, 'invalid_grant')).toBe(true)
  await expect(oidc.refresh(String(refreshed.refresh_token))).rejects.toMatchObject({ code: 'invalid_grant' })
})

it('accepts new keys at once after a rotation, and still accepts the earlier ones', async () => {
  const oidc = new OidcClient(emulator.options.oidc)
  const { id_token } = await signIn(oidc)

  await emulator.signIn.rotateKeys()

  await signIn(oidc)
  await oidc.validateIdToken(String(id_token))
})

it('throws access_denied if the person declined', async () => {
  const oidc = new OidcClient(emulator.options.oidc)
  const login = await oidc.createAuthorization()

  const finished = oidc.handleCallback(emulator.signIn.deny(login.url), login)

  await expect(finished).rejects.toMatchObject({ reason: 'authorization_error', error: 'access_denied' })
})

it('throws invalid_client if the secret is wrong, and unauthorized_client if the app is inactive', async () => {
  const wrongSecret = new OidcClient({ ...emulator.options.oidc, clientSecret: 'wrong' })
  const inactive = new OidcClient(createEmulator({ oidc: { active: false } }).options.oidc)

  await expect(wrongSecret.refresh('rt_0')).rejects.toMatchObject({ status: 401, code: 'invalid_client' })
  await expect(inactive.refresh('rt_0')).rejects.toMatchObject({ status: 403, code: 'unauthorized_client' })
})

it('throws GoneError for the legacy sign-on, with the method to call instead', async () => {
  const { legacy } = new OidcClient(emulator.options.oidc)

  const error: unknown = await legacy.refresh('rt_0').catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(GoneError)
  expect(error).toMatchObject({
    code: 'endpoint_removed',
    message: expect.stringContaining('use oidc.refresh'),
  })
})
