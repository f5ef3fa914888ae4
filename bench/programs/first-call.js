// Imports a package, makes its first call, and prints the milliseconds since the process started, and its CPU.
// Arguments: the row, the origin.
const [name = '', origin = ''] = process.argv.slice(2)
const port = Number(new URL(origin).port)

/** Not `peer`, whose file loads this package. @param {string} name */
const load = (name) => import(name)

/** @type {Record<string, () => Promise<unknown>>} */
const ways = {
  async 'global fetch'() {
    await (await fetch(origin)).json()
  },
  async 'identity-service-sdk'() {
    const { VerificationClient } = await load('identity-service-sdk')
    const client = new VerificationClient({ baseUrl: origin, apiKey: 'key_bench_0123456789' })
    await client.sessions.create({ workflow_id: 'wf_1' })
  },
  async stripe() {
    const { default: Stripe } = await load('stripe')
    const stripe = new Stripe('sk_test_bench', { host: '127.0.0.1', port, protocol: 'http' })
    await stripe.customers.create({ name })
  },
  async workos() {
    const { WorkOS } = await load('@workos-inc/node')
    const workos = new WorkOS('sk_bench', { apiHostname: '127.0.0.1', port, https: false })
    await workos.organizations.createOrganization({ name })
  },
}

await ways[name]?.()
const { user, system } = process.cpuUsage()
console.log(JSON.stringify({ elapsed: performance.now(), cpu: (user + system) / 1000 }))
process.exit()

export {}
