import { expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import {
  createTokenManager,
  createVerificationManager,
  memoryStore,
  OidcClient,
  type Store,
  StoreError,
  VerificationClient,
} from '../../src/index.ts'
import { thrownBy } from '../support/thrown-by.ts'

const driverFailure = Object.assign(new Error('the address of a host'), { code: 'ECONNREFUSED' })
const fails = () => Promise.reject(driverFailure)
const store: Store = {
  ...memoryStore(),
  get: fails,
  set: fails,
  compareAndSet: fails,
  take: fails,
  delete: fails,
  compareAndDelete: fails,
}
const emulator = createEmulator()
const client = new VerificationClient({ ...emulator.options.verification, errorDetail: 'safe' })
const verifications = createVerificationManager({ client, store, session: { workflow_id: 'wf_1' } })
const tokens = createTokenManager({ oidc: new OidcClient(emulator.options.oidc), store })

it.each([
  ['verifications.start', () => verifications.start('ada')],
  ['verifications.ensureApproved', () => verifications.ensureApproved('ada')],
  ['tokenManager.getAccessToken', () => tokens.getAccessToken('ada')],
])('an error of the store names %s, which needed it, and its caller', async (operation, call) => {
  const error = await thrownBy((async () => await call())())

  expect(error).toBeInstanceOf(StoreError)
  expect(error).toMatchObject({ operation, original: driverFailure, mayHaveHappened: expect.any(Boolean) })
  expect((error as StoreError).message).toContain(`${operation}: `)
  expect((error as StoreError).stack).toContain('operation-of-store-errors.test.ts')
})

it('an error of a store that the application calls itself has no operation', async () => {
  const full = memoryStore({ maxEntries: 1 })
  await full.set('a', '1')

  const error = await thrownBy(full.set('b', '2'))

  expect(error).toBeInstanceOf(StoreError)
  expect(error).not.toHaveProperty('operation')
})
