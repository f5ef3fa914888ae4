import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import type { OrgClientOptions } from '../../src/org.ts'
import { loopbackServer, reset } from '../support/loopback-server.ts'
import { clientSecret, testOrg } from '../support/org-client.ts'
import { rosterOperations } from '../support/roster-operations.ts'
import { respond, type Step, scriptedFetch } from '../support/scripted-fetch.ts'
import { collect } from './emulated-org.ts'

/** What must not come out: of the request, and of what a service might echo. */
const canaries = {
  clientSecret,
  email: 'ada@example.com',
  header: 'canary-header-3141',
  link: 'https://console.example.test/activate/canary-link-2718',
  token: 'canary-link-2718',
  firstName: 'Zaphodia',
  svcId: 'svc_canary_1618',
}

const echo = {
  ...canaries,
  activation_link: canaries.link,
  first_name: canaries.firstName,
  svc_id: canaries.svcId,
}
const said = `no: ${canaries.clientSecret} ${canaries.email} ${canaries.header} ${canaries.link}`

const json = (status: number, body: object) =>
  respond(status, body, { 'x-echo': said, 'x-request-id': 'req_1' })

const answers: [string, Step][] = [
  [
    'an error that echoes',
    json(400, {
      success: false,
      error: { code: 'invalid_request', message: said, echo },
      data: { errors: echo },
    }),
  ],
  ['an answer of another shape', json(200, { success: true, data: { echo, members: [echo] }, error: null })],
  ['an answer without data', json(200, { success: true, echo })],
  ['a page', respond(502, `<html>${said} ${JSON.stringify(echo)}</html>`)],
  ['half a body', respond(200, `{"success":true,"data":{"member":{"email":"${canaries.email}","a":"${said}`)],
  ['a connection that breaks', () => Promise.reject(new TypeError(said, { cause: new Error(said) }))],
]

/** A client whose every output is kept, the depths of every object included. */
function overheard(options: OrgClientOptions) {
  const heard: string[] = []
  const keep = (...parts: unknown[]) => {
    for (const part of parts)
      heard.push(inspect(part, { depth: 20, showHidden: true }), JSON.stringify(part) ?? '', String(part))
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
  const listen = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    keep(error, org, (error as Error | undefined)?.stack)
    return error
  }
  return { org, listen, heard }
}

const cases = rosterOperations.flatMap((operation) =>
  answers.map(([answer, step]) => ({ name: operation.name, operation, answer, step })),
)

it.each(cases)('$name says no secret after $answer', async ({ operation, step }) => {
  const { org, listen, heard } = overheard({ fetch: scriptedFetch(step).fetch })

  expect(await listen(operation.call(org))).toBeInstanceOf(Error)

  const output = heard.join('\n')
  expect(output).toContain(operation.name)
  for (const canary of Object.values(canaries)) {
    expect(output).not.toContain(canary)
    expect(output).not.toContain(encodeURIComponent(canary))
  }
})

it('says no secret when a real connection breaks', async () => {
  const { url } = await loopbackServer(reset)
  const { org, listen, heard } = overheard({ baseUrl: url, fetch: undefined })

  expect(await listen(org.members.deactivate(canaries.email))).toMatchObject({ code: 'connection_failed' })
  await org.close()

  for (const canary of Object.values(canaries)) expect(heard.join('\n')).not.toContain(canary)
})

it('refused params are named without their values', async () => {
  const { org, listen, heard } = overheard({})
  const member = { email: canaries.email, first_name: canaries.firstName, role: 'canary-role' as 'member' }

  await listen(org.members.add({ members: [member] }))
  await listen(org.members.deactivate(`${canaries.email}\ud800`))
  await listen(collect(org.members.inviteAll(canaries.email as unknown as string[])))

  expect(heard.join('\n')).toContain('members.0.role')
  for (const canary of [...Object.values(canaries), 'canary-role'])
    expect(heard.join('\n')).not.toContain(canary)
})

it('a refusal of 500 members is told in good time', async () => {
  const members = Array.from({ length: 500 }, (_, i) => ({
    email: `person${i}@example.com`,
    first_name: `First${i}`,
    last_name: `Last${i}`,
  }))
  const errors = Object.fromEntries(
    members.map(({ email }, i) => [`members.${i}.email`, `${email} is taken`]),
  )
  const refusal = { success: false, error: { code: 'invalid_request', message: said }, data: { errors } }
  const { org } = overheard({ fetch: scriptedFetch(json(400, refusal)).fetch })
  const before = process.cpuUsage()

  await expect(org.members.add({ members })).rejects.toMatchObject({ fieldErrors: errors })

  // Of this process alone: how busy the machine is says nothing.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000)
})
