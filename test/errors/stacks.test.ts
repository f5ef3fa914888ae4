import { expect, it, onTestFinished } from 'vitest'
import { createVerificationManager, memoryStore, OidcClient, OrgClient, VerificationClient } from '../../src/index.ts'
import { thrownBy } from '../support/thrown-by.ts'

const baseUrl = 'https://id.example.test'
const fetch = async () => new Response('no', { status: 404 })
const client = new VerificationClient({ baseUrl, apiKey: 'key_test_0123456789', fetch })
const org = new OrgClient({ baseUrl, clientId: 'org', clientSecret: 'secret_0123456789', fetch })
const signIn = {
  clientId: 'app',
  clientSecret: 'secret_app_0123456789',
  redirectUri: 'https://app.example.test/callback',
}
const oidc = new OidcClient({ baseUrl, ...signIn, fetch })
const manager = createVerificationManager({ client, store: memoryStore(), session: { workflow_id: 'wf_1' } })

it.each<[string, () => PromiseLike<unknown>]>([
  ['a call', () => client.sessions.retrieve('sess_0')],
  ['a call for the roster', () => org.members.list()],
  ['a refresh', () => oidc.refresh('refresh_0', {})],
  ['an operation of several calls', () => manager.start('user-42')],
])('the stack of a failure of %s contains the code that waits for it', async (_, call) => {
  const code = async () => {
    await call()
  }

  const { stack } = (await thrownBy(code())) as Error

  expect(stack?.match(/ at (?:async )?code /g)).toHaveLength(1)
})

it('an error that a hook has frozen reaches the caller', async () => {
  const onEvent = (event: object) => void Object.freeze('error' in event && event.error)
  const frozen = new VerificationClient({ baseUrl, apiKey: 'key_test_0123456789', fetch, onEvent })
  const settings = { client: frozen, store: memoryStore(), session: { workflow_id: 'wf_1' } }

  const error = await thrownBy(createVerificationManager(settings).start('user-42'))

  expect(error).toMatchObject({ name: 'NotFoundError', operation: 'sessions.create' })
})

it.each<[string, typeof Error.prepareStackTrace]>([
  ['returns no text', (_, frames) => frames],
  [
    'throws',
    () => {
      throw new Error('no stack')
    },
  ],
])('an error reaches the caller although the prepareStackTrace of the application %s', async (_, prepare) => {
  const before = Error.prepareStackTrace
  onTestFinished(() => {
    Error.prepareStackTrace = before
  })
  Error.prepareStackTrace = prepare

  const error = await thrownBy(client.sessions.retrieve('sess_0'))
  Error.prepareStackTrace = before

  expect(error).toMatchObject({ name: 'NotFoundError', operation: 'sessions.retrieve' })
})
