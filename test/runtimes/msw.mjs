// The tests of an app, with any version of MSW. Runs the built package, and prints the results that the app receives.
import { setTimeout as pause } from 'node:timers/promises'
import { OidcClient, OrgClient, VerificationClient } from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'
import { mswHandlers } from 'identity-service-sdk/msw'
import { setupServer } from 'msw/node'

process.env.SVC_TRANSPORT = 'fetch'
const baseUrl = 'https://id.example.test/identity'
const orgBaseUrl = 'https://console.example.test'
const age = { dob: '1990-05-17', bands: [18] }

/** @type {string[]} */
const printed = []
console.error = console.warn = (...things) => void printed.push(things.join(' '))
process.on('unhandledRejection', (reason) => printed.push(`unhandled: ${reason}`))

const emulator = createEmulator()
const { verification, oidc, org } = emulator.options
const server = setupServer(...mswHandlers(emulator, { baseUrl, orgBaseUrl }))
// The option has another name in MSW 3.
const strict = /** @type {object} */ ({ onUnhandledRequest: 'error', onUnhandledFrame: 'error' })
server.listen(strict)
const client = new VerificationClient({ baseUrl, apiKey: verification.apiKey })

const statuses = () => emulator.requests.map(({ status }) => status ?? null)
/** @param {unknown} thrown */
const nameOf = (thrown) => (thrown instanceof Error ? thrown.name : String(thrown))

/** Each scenario returns the results that an app receives. @type {Record<string, () => Promise<unknown>>} */
const scenarios = {
  async session() {
    const redirect_url = 'https://app.example.test/return'
    const session = await client.sessions.create({ redirect_url })
    const page = await fetch(session.url)
    const body = new URLSearchParams({ choice: 'approve' })
    const redirect = await fetch(session.url, { method: 'POST', body, redirect: 'manual' })
    const { decision } = await client.sessions.decision(session.session_id)
    return {
      address: session.url.replace(/\w+$/, '…'),
      page: [page.status, page.headers.get('x-emulator')],
      redirect: [redirect.status, redirect.headers.get('location')?.split('?')[0], await redirect.text()],
      decision,
    }
  },
  async roster() {
    const roster = new OrgClient({ ...org, baseUrl: orgBaseUrl, fetch: undefined })
    const { created } = await roster.members.add({ members: [{ email: 'a@example.test' }], notify: false })
    return created.map(({ activation_link }) => activation_link?.replace(/\w+$/, '…'))
  },
  async signIn() {
    const signIn = new OidcClient({ ...oidc, baseUrl, fetch: undefined })
    const login = await signIn.createAuthorization()
    const { claims } = await signIn.handleCallback(emulator.signIn.approve(login.url), login)
    return claims.iss
  },
  async upload() {
    const image = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7919) >> 3)
    async function* chunks() {
      yield image.subarray(0, 10)
      yield image.subarray(10, 70_000)
      yield image.subarray(70_000)
    }
    const directly = new VerificationClient(verification)
    const results = [
      await client.checks.liveness({ image: chunks() }, { idempotencyKey: 'key-1' }),
      await client.checks.liveness({ image }, { idempotencyKey: 'key-1' }),
      // The emulator returns its earlier response only if the bytes are the same.
      await directly.checks.liveness({ image }, { idempotencyKey: 'key-1' }),
    ]
    return {
      sessions: new Set(results.map(({ session_id }) => session_id)).size,
      charges: emulator.ledger.length,
    }
  },
  async lostResponse() {
    emulator.faults.add({ match: 'checks.age', reset: true, when: 'after' })
    const { status } = await client.checks.age(age)
    return { status, statuses: statuses(), charges: emulator.ledger.length }
  },
  async reset() {
    emulator.faults.add({ match: 'sessions.list', reset: true })
    const call = fetch(`${baseUrl}/api/v2/session`, { headers: { 'x-api-key': verification.apiKey } })
    return call.then(({ status }) => status, nameOf)
  },
  async abort() {
    emulator.faults.add({ match: 'checks.age', delayMs: 500 })
    const leaving = new AbortController()
    const call = client.checks.age(age, { signal: leaving.signal })
    while (emulator.requests.length === 0) await pause(1)
    leaving.abort(new Error('no longer needed'))
    const error = await call.catch((/** @type {any} */ { name, cause }) => `${name}: ${cause?.message}`)
    await pause(600)
    return { error, statuses: statuses(), charges: emulator.ledger.length }
  },
  async strays() {
    const before = printed.length
    await fetch(`${baseUrl}/health`).catch(() => {})
    await fetch(`${baseUrl}/api/sdk/members`).catch(() => {})
    const reported = printed.splice(before).flatMap((line) => /• GET (\S+)/.exec(line)?.[1] ?? [])
    return { reported, requests: emulator.requests.length }
  },
}

/** @type {Record<string, unknown>} */
const results = {}
for (const [name, scenario] of Object.entries(scenarios)) {
  emulator.reset()
  results[name] = await scenario()
}
server.close()
process.stdout.write(JSON.stringify({ node: process.version, ...results, printed }))
