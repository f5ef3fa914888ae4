import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { typeCheck } from '../support/type-check.ts'

const prelude = `
import {
  createEventProcessor, createWebhookHandler, type DispatcherLike, memoryStore, OidcClient, OrgClient,
  VerificationClient,
} from 'identity-service-sdk'

declare const dispatcher: DispatcherLike
const store = memoryStore()
const secret = 'secret'
`
const maxLength = 1_000

let installed: InstalledPackage

beforeAll(async () => {
  installed = await installPackage()
}, 60_000)

afterAll(() => installed.remove())

it.each([
  ['dispatcher', 'new VerificationClient({ fetch, dispatcher })'],
  ['dispatcher', 'new OrgClient({ fetch, dispatcher, timeoutMs: 1 })'],
  ['dispatcher', "new OidcClient({ fetch, dispatcher, clientId: 'id' })"],
  ['fetch', 'new VerificationClient().withOptions({ fetch })'],
  ['on', 'createWebhookHandler({ secret })'],
  ['on', 'createWebhookHandler({ secret, store, onError: () => {} })'],
  ['on', "createEventProcessor({ name: 'mail', store })"],
])(
  'the error of the compiler names %s: %s',
  async (field, code) => {
    const errors = await typeCheck(installed.project, { 'exclusive.mts': `${prelude}\n${code}\n` })

    const [, column, message = ''] = /\(\d+,(\d+)\): error TS\d+: (.*)/s.exec(errors) ?? []
    const pointsAtIt = code.slice(Number(column) - 1).startsWith(field)
    expect(pointsAtIt || message.includes(`'${field}'`), errors).toBe(true)
    expect(errors.length).toBeLessThan(maxLength)
  },
  60_000,
)
