import { createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest'
import { FaultProxy } from '../support/fault-proxy.ts'
import { rawResponse } from '../support/http-message.ts'
import { unusedUrl } from '../support/loopback-server.ts'
import { selfSigned } from '../support/self-signed.ts'
import { transports } from '../support/transports.ts'
import { tally } from './canaries.ts'
import { casesOf, expectRules, outcomeOf } from './case.ts'
import { kinds, kindsWithoutTwins, oneOfEach } from './kinds.ts'
import { quickRows, redirectStatuses, redirectTo, slowRows, unsentRow, waitRows } from './rows.ts'

/** Does the work of whatever reaches it. */
let service: FaultProxy
/** Where redirects point. */
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

it.each([...casesOf(quickRows, kinds, transports), ...casesOf(waitRows, oneOfEach, transports)])(
  '$name: $fault: attempts of $call: $attempts; it is told $error.name',
  async (row) => {
    const outcome = await outcomeOf(row, { target: service.url })

    expectRules(outcome, row)
    const reached = row.does.forward ? row.attempts : 0
    expect(outcome.seen.filter(({ forwarded }) => forwarded)).toHaveLength(reached)
  },
)

it.concurrent.each(casesOf(slowRows, kindsWithoutTwins, transports))(
  '$name: $fault: attempts of $call: $attempts; it is told $error.name',
  async (row) => {
    const inTime = await outcomeOf(row, { target: service.url, timeoutMs: 80 })
    // On a busy machine the time may be over before the request is there: then this fault was not met.
    const isMet = inTime.seen.length >= row.attempts
    const outcome = isMet ? inTime : await outcomeOf(row, { target: service.url, timeoutMs: 1000 })

    expectRules(outcome, row)
  },
  20_000,
)

it.each(casesOf(redirectStatuses.map(redirectTo('https://elsewhere.invalid')), kinds, transports))(
  '$name: $fault is not followed for $call, and takes no credentials there',
  async (row) => {
    const { does } = redirectTo(elsewhere.url)(row.error.status as number)

    expectRules(await outcomeOf({ ...row, does }), row)
  },
)

const unsent: Readonly<Record<string, () => Promise<string>>> = {
  'a refused connection': unusedUrl,
  'a certificate of an unknown authority': () => listening(createTlsServer(selfSigned)),
  'a server that does not speak TLS': () => listening(createServer((socket) => socket.end('HTTP/1.1 400'))),
}

it.each(casesOf(Object.keys(unsent).map(unsentRow), kinds, transports))(
  '$name: $fault: attempts of $call: $attempts, since nothing was sent',
  async (row) => {
    expectRules(await outcomeOf(row, { baseUrl: await unsent[row.fault]?.() }), row)
  },
)

// A resolver may take its time to say so: this is asked of those calls alone that are repeated nowhere else.
const strictest = kinds.filter(({ call }) => call === 'a refresh' || call === 'a new session')

it.each(casesOf([unsentRow('a name that nobody has')], strictest, transports))(
  '$name: $fault: attempts of $call: $attempts, since nothing was sent',
  async (row) => {
    expectRules(await outcomeOf(row, { baseUrl: 'https://nowhere.invalid' }), row)
  },
  60_000,
)

/** Where a server is that says nothing which anybody may trust. */
async function listening(server: Server): Promise<string> {
  server.on('connection', (socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return `https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}
