import { beforeEach, expect, it, vi } from 'vitest'
import { createEmulator } from '../../../src/emulator.ts'
import { ConfigurationError, OidcClient, OrgClient, VerificationClient, validateIdToken } from '../../../src/index.ts'

const baseUrl = 'https://id.example.com'
const fetch = () => Promise.reject(new Error('nothing is sent'))
const dispatcher = { dispatch: () => true }
const credentials = { clientId: 'id', clientSecret: 'secret' }

beforeEach(() => {
  vi.stubEnv('SVC_EMULATOR_ONLY', '1')
})

const clients: readonly (readonly [string, () => unknown])[] = [
  ['VerificationClient', () => new VerificationClient({ baseUrl, apiKey: 'key' })],
  ['VerificationClient', () => new VerificationClient({ baseUrl, apiKey: 'key', fetch })],
  ['VerificationClient', () => new VerificationClient({ baseUrl, apiKey: 'key', dispatcher })],
  ['OrgClient', () => new OrgClient({ baseUrl, ...credentials, fetch })],
  ['OidcClient', () => new OidcClient({ baseUrl, ...credentials, redirectUri: 'https://app.example.com/cb' })],
]

it.each(clients)('with SVC_EMULATOR_ONLY, %s rejects a host that is not this machine', (name, create) => {
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(
    `${name}: id.example.com is not on this machine, and SVC_EMULATOR_ONLY is set. Use the emulator, or unset the variable.`,
  )
})

it('a base URL of the environment is rejected too', () => {
  vi.stubEnv('SVC_BASE_URL', 'https://localhost.example.com')
  expect(() => new VerificationClient({ apiKey: 'key' })).toThrow(/localhost\.example\.com is not on this machine/)
})

it('validateIdToken rejects the URL of a key set that is not on this machine', async () => {
  const options = {
    issuer: baseUrl,
    audience: 'a',
    nonce: 'n',
    jwks: 'https://id.example.com/only-emulator/keys',
  }
  await expect(validateIdToken('a.b.c', { ...options, fetch })).rejects.toThrow(/SVC_EMULATOR_ONLY/)
})

it('clients of an emulator in the process work, also if it does not listen', async () => {
  const { options } = createEmulator({ members: [{ email: 'ada@example.com' }] })

  const verification = new VerificationClient(options.verification)
  const org = new OrgClient(options.org)
  const oidc = new OidcClient(options.oidc)

  expect(await verification.sessions.create()).toMatchObject({ session_id: expect.any(String) })
  expect((await org.members.resolve({ email: 'ada@example.com' })).found).toBe(true)
  expect((await oidc.createAuthorization()).url).toContain(String(options.oidc.baseUrl))
})

it('a client of an emulator in the process that lacks its fetch sends nothing', async () => {
  const { baseUrl, apiKey } = createEmulator().options.verification
  const client = new VerificationClient({ baseUrl, apiKey, maxRetries: 0 })

  await expect(client.sessions.list()).rejects.toMatchObject({ code: 'connection_failed' })

  await client.close()
})

it.each([
  ['VerificationClient', () => new VerificationClient(emulatorOptions().verification).sessions.list()],
  ['OrgClient', () => new OrgClient(emulatorOptions().org).members.list()],
  ['OidcClient', () => new OidcClient(emulatorOptions().oidc).refresh('used')],
])(
  'a response of an emulator in production is a ConfigurationError, unless an emulator is meant: %s',
  async (_, call) => {
    vi.stubEnv('NODE_ENV', 'production')
    vi.stubEnv('SVC_EMULATOR_ONLY', '')

    await expect(call()).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(
        /from an emulator.*NODE_ENV is production. Check baseUrl .*SVC_EMULATOR_ONLY=1\.$/,
      ),
    })
    for (const name of ['SVC_EMULATOR_ONLY', 'SVC_EMULATOR_HOST']) {
      vi.stubEnv(name, '1')
      expect(
        String(
          await call().then(
            () => 'a response',
            (error) => error,
          ),
        ),
      ).not.toMatch(/production/)
      vi.stubEnv(name, '')
    }
  },
)

const emulatorOptions = () => createEmulator().options
