// Tests the app without the service: the client calls the emulator as a function, and its webhooks go to the app.
import 'reflect-metadata'
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { Test } from '@nestjs/testing'
import { VerificationClient } from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'
import { AppModule } from './app.module.ts'
import { PUBLIC_URL } from './identity.module.ts'

const emulator = createEmulator({
  webhooks: {
    destinations: [`${PUBLIC_URL}/webhooks`],
    deliver: async (_url, init) => fetch(`${await app.getUrl()}/webhooks`, init),
  },
})
const client = new VerificationClient(emulator.options.verification)
let app: NestExpressApplication

before(async () => {
  process.env.SVC_WEBHOOK_SECRET = emulator.webhooks.secret
  const module = await Test.createTestingModule({ imports: [AppModule] })
    .overrideProvider(VerificationClient)
    .useValue(client)
    .compile()
  app = module.createNestApplication<NestExpressApplication>({ rawBody: true })
  await app.listen(0, '127.0.0.1')
})

beforeEach(() => emulator.reset())

after(() => app.close())

async function wine(customer: string) {
  const response = await fetch(`${await app.getUrl()}/customers/${customer}/wine`)
  return { status: response.status, text: await response.text() }
}

async function complete(customer: string, outcome: 'APPROVED' | 'DECLINED') {
  const [session] = await client.sessions.list({ vendor_data: customer })
  assert.ok(session)
  await emulator.sessions.complete(session.session_id, outcome)
}

test('a person who is not verified gets the address of the hosted page, and is let in afterwards', async () => {
  const { status, text } = await wine('ada')
  assert.equal(status, 403)
  assert.match(text, /"reason":"none","url":"[^"]+\/s\//)

  await complete('ada', 'APPROVED')

  assert.equal((await wine('ada')).status, 200)
})

test('a person who was declined gets no address', async () => {
  await wine('bo')
  await complete('bo', 'DECLINED')

  assert.deepEqual(await wine('bo'), { status: 403, text: '{"error":"not verified","reason":"declined"}' })
})
