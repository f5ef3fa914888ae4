import { createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest'
import { showOnlyOurWords } from '../support/error-detail.ts'
import { FaultProxy } from '../support/fault-proxy.ts'
import { rawResponse } from '../support/http-message.ts'
import { unusedUrl } from '../support/loopback-server.ts'
import { selfSigned } from '../support/self-signed.ts'
import { transports } from '../support/transports.ts'
import { callKinds, distinctCalls, oneCallPerReplay } from './calls.ts'
import { tally } from './canaries.ts'
import { casesOf, expectRules, outcomeOf } from './case.ts'
import {
  quickFaults,
  redirectStatuses,
  redirectTo,
  retryAfterFaults,
  timeoutFaults,
  unsentFault,
} from './faults.ts'

showOnlyOurWords()

/** Executes every request that reaches it. */
let service: FaultProxy
/** The target of redirects. */
let elsewhere: FaultProxy

beforeAll(async () => {
  const script = () => ({ response: rawResponse(200, '{}') })
  service = await FaultProxy.start({ script })
  elsewhere = await FaultProxy.start({ script })
})

afterEach(() => expect(elsewhere.connections).toBe(0))

afterAll(async () => {
  await service.close()
  await elsewhere.close()
  const { cases, outputs, leaks } = tally
  console.log(`faults: ${cases} cases, ${outputs} outputs searched for secrets, ${leaks} leaks`)
})

it.each([
  ...casesOf(quickFaults, callKinds, transports),
  ...casesOf(retryAfterFaults, oneCallPerReplay, transports),
  ...casesOf(timeoutFaults, distinctCalls, transports),
])('$name: makes $attempts attempts of $call and throws $thrown if each ends with $fault', async (row) => {
  const outcome = await outcomeOf(row, { target: service.url })

  expectRules(outcome, row)
  const forwarded = outcome.requests.filter((request) => request.forwarded)
  expect(forwarded).toHaveLength(row.does.forward ? row.attempts : 0)
})

it.each(casesOf(redirectStatuses.map(redirectTo('https://elsewhere.invalid')), callKinds, transports))(
  '$name: does not follow $fault for $call, and sends no credentials there',
  async (row) => {
    const { does } = redirectTo(elsewhere.url)(row.error.status as number)

    expectRules(await outcomeOf({ ...row, does }), row)
  },
)

const unsent: Readonly<Record<string, () => Promise<string>>> = {
  'a refused connection': unusedUrl,
  'a certificate of an unknown authority': () => urlOf(createTlsServer(selfSigned)),
}

it.each(casesOf(Object.keys(unsent).map(unsentFault), callKinds, transports))(
  '$name: makes $attempts attempts of $call after $fault, because nothing was sent',
  async (row) => {
    expectRules(await outcomeOf(row, { baseUrl: await unsent[row.fault]?.() }), row)
  },
)

// Over fetch, the error is the same as that of a broken record on an open connection.
it.each(casesOf([unsentFault('a server that does not speak TLS')], callKinds, transports.slice(0, 1)))(
  '$name: makes $attempts attempts of $call after $fault, because nothing was sent',
  async (row) => {
    const baseUrl = await urlOf(createServer((socket) => socket.end('HTTP/1.1 400')))

    expectRules(await outcomeOf(row, { baseUrl }), row)
  },
)

// A resolver may be slow. So only calls are tested that are retried after hardly any other fault.
const strictest = callKinds.filter(
  ({ call }) => call === 'the refresh of tokens' || call === 'the creation of a session',
)

it.each(casesOf([unsentFault('an unknown host name')], strictest, transports))(
  '$name: makes $attempts attempts of $call after $fault, because nothing was sent',
  async (row) => {
    expectRules(await outcomeOf(row, { baseUrl: 'https://nowhere.invalid' }), row)
  },
  60_000,
)

/** Starts a server without a trusted certificate until the test ends. Returns its URL. */
async function urlOf(server: Server): Promise<string> {
  server.on('connection', (socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return `https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}
