// The tests of an app, with a mock library that the environment names. Prints what two clients receive: one without
// settings, and one with what the error of the first advises.
import { VerificationClient } from 'identity-service-sdk'

const { LIBRARY = '' } = process.env
const origin = 'https://id.example.test'
const path = '/api/v2/session/sess_1'
const body = { success: false, data: null, error: { code: 'mocked', message: 'it is mocked' } }

/** How each library is set up to respond. @type {Record<string, (library: any) => Promise<object>>} */
const mocks = {
  async 'msw/node'({ setupServer }) {
    const name = 'msw'
    const { http, HttpResponse } = await import(name)
    const server = setupServer(http.get(origin + path, () => HttpResponse.json(body, { status: 404 })))
    server.listen()
    return {}
  },
  async nock({ default: nock }) {
    nock(origin).persist().get(path).reply(404, body)
    return {}
  },
  async undici({ MockAgent, setGlobalDispatcher }) {
    const agent = new MockAgent()
    agent.get(origin).intercept({ path }).reply(404, body)
    setGlobalDispatcher(agent)
    return { dispatcher: 'global' }
  },
}

const options = await mocks[LIBRARY]?.(await import(LIBRARY))

/** @param {object | undefined} more */
const outcomeOf = (more) =>
  new VerificationClient({ baseUrl: origin, apiKey: 'key_1', maxRetries: 0, ...more }).sessions
    .retrieve('sess_1')
    .catch((/** @type {any} */ { code, message }) => ({ code, message }))

const unset = await outcomeOf({})
const unknownHost = await new VerificationClient({
  baseUrl: 'https://nowhere.invalid',
  apiKey: 'key_1',
}).checks
  .age({ dob: '1990-05-17', bands: [18] }, { maxRetries: 0 })
  .catch((/** @type {any} */ { code, mayHaveArrived }) => ({ code, mayHaveArrived }))
if (Object.keys(options ?? {}).length === 0) process.env.SVC_TRANSPORT = 'fetch'
const advised = await outcomeOf(options)
process.stdout.write(JSON.stringify({ unset, advised, unknownHost }))
process.exit()
