// A name that nothing else contains: cspell:ignore Zaphodia

import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import type { OrgClientOptions } from '../../src/index.ts'
import { collect } from '../support/collect.ts'
import { showOnlyOurWords } from '../support/error-detail.ts'
import { clientSecret, testOrg } from '../support/org-client.ts'
import { respond, scriptedFetch } from '../support/scripted-fetch.ts'

showOnlyOurWords()

/** Values that must not be exposed: those of the request, and those that a service might echo. */
const canaries = {
  clientSecret,
  email: 'ada@example.com',
  header: 'canary-header-3141',
  link: 'https://console.example.test/activate/canary-link-2718',
  token: 'canary-link-2718',
  firstName: 'Zaphodia',
  svcId: 'svc_canary_1618',
}
const message = `no: ${canaries.clientSecret} ${canaries.email} ${canaries.header} ${canaries.link}`

const json = (status: number, body: object) => respond(status, body, { 'x-echo': message, 'x-request-id': 'req_1' })

/** A client whose whole output is recorded, including nested objects. */
function recordedOrg(options: OrgClientOptions) {
  const output: string[] = []
  const keep = (...parts: unknown[]) => {
    for (const part of parts)
      output.push(inspect(part, { depth: 20, showHidden: true }), JSON.stringify(part) ?? '', String(part))
  }
  const logger = { debug: keep, info: keep, warn: keep, error: keep }
  const { org } = testOrg({
    logger,
    onEvent: keep,
    maxRetries: 1,
    headers: { 'x-canary': canaries.header },
    responseValidation: 'strict',
    ...options,
  })
  const record = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    keep(error, org, (error as Error | undefined)?.stack)
    return error
  }
  return { org, record, output }
}

it('names rejected params without their values', async () => {
  const { org, record, output } = recordedOrg({})
  const member = {
    email: canaries.email,
    first_name: canaries.firstName,
    role: { name: 'canary-role' } as unknown as 'member',
  }

  await record(org.members.add({ members: [member] }))
  await record(org.members.deactivate(`${canaries.email}\ud800`))
  await record(collect(org.members.inviteAll(canaries.email as unknown as string[])))

  expect(output.join('\n')).toContain('members.0.role')
  for (const canary of [...Object.values(canaries), 'canary-role']) expect(output.join('\n')).not.toContain(canary)
})

it('reports the field errors of 500 members within 2 seconds of CPU time', async () => {
  const members = Array.from({ length: 500 }, (_, i) => ({
    email: `person${i}@example.com`,
    first_name: `First${i}`,
    last_name: `Last${i}`,
  }))
  const errors = Object.fromEntries(members.map(({ email }, i) => [`members.${i}.email`, `${email} is taken`]))
  const response = { success: false, error: { code: 'invalid_request', message }, data: { errors } }
  const { org } = recordedOrg({ fetch: scriptedFetch(json(400, response)).fetch })
  const before = process.cpuUsage()

  await expect(org.members.add({ members })).rejects.toMatchObject({ fieldErrors: errors })

  // CPU time of this process, because the elapsed time depends on the load of the machine.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000)
})
