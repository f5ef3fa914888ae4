// Misspelled on purpose: cspell:ignore tims

import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { runCli, temporaryFolder } from '../terminal.ts'

const schemaFile = new URL('../../../emulator.schema.json', import.meta.url)

const outcome = { type: 'liveness', outcome: 'failed' }

it.each([
  [true, {}],
  [true, { $schema: './emulator.schema.json', apiKey: 'a', seed: 1 }],
  [true, { seed: 'a', wallet: { balance: 0.5 }, outcomes: { age: { status: 'review', data: { anything: 1 } } } }],
  [true, { readings: { licenseNotFound: 404, tokenErrors: 'enveloped' } }],
  [true, { org: { billing: { plan: null, trialEndsAt: '2030-01-01T00:00:00Z' } } }],
  [true, { faults: [{ match: 'checks.age', malformed: true, headers: { a: 'b' }, times: 'Infinity' }] }],
  [
    true,
    {
      faults: [{ match: { path: '/api/v2/session' }, code: { unlisted: 'x' }, status: 400, when: 'after' }],
    },
  ],
  [true, { checks: [{ ...outcome, times: 2 }], webhookFaults: [{ kind: 'late', ageSeconds: 5 }] }],
  [true, { users: [{ sub: 'a', claims: { anything: [1] } }], members: [{ email: 'a@example.com', svc_id: null }] }],
  [false, []],
  [false, null],
  [false, 'text'],
  [false, { unknown: 1 }],
  [false, { onRequest: 'text' }],
  [false, { clock: '2030-01-01' }],
  [false, { webhooks: { deliver: 'x' } }],
  [false, { seed: true }],
  [false, { webhooks: [] }],
  [false, { webhookFaults: [null] }],
  [false, { org: { billing: { invoices: [{}] } } }],
  [false, { checks: [{ ...outcome, tims: 1 }] }],
  [false, { readings: { licenseNotFound: '404' } }],
  [false, { faults: {} }],
  [false, { faults: [{ times: 'always' }] }],
  [false, { faults: [{ match: { operation: 'sessions.create', other: 1 } }] }],
  [false, { checks: [{ type: 'liveness' }] }],
  [false, { checks: [{ ...outcome, type: 'nose' }] }],
  [false, { workflows: [{ id: 'a', name: 'b', features: [1] }] }],
  [false, { users: [{ sub: 'a', claims: 1 }] }],
])('the command and any reader of the schema agree that it is %s that this is valid: %j', async (isValid, config) => {
  const schema = JSON.parse(readFileSync(schemaFile, 'utf8'))

  const file = join(await temporaryFolder(), 'emulator.json')
  await writeFile(file, JSON.stringify(config))
  const command = `emulator --port 0 --config ${file} exec -- true`
  const { status } = await runCli(command, { env: { PATH: process.env.PATH } })

  expect(status).toBe(isValid ? 0 : 2)
  expect(z.fromJSONSchema(schema).safeParse(config).success).toBe(isValid)
})
