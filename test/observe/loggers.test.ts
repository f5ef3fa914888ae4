import bunyan from 'bunyan'
import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import winston from 'winston'
import { createWebhookHandler, type Logger, StoreError } from '../../src/index.ts'
import { errorResponse, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'
import { aDelivery, clockAt, secret, signedAt } from '../support/webhook.ts'

const service = scriptedService()

interface Recording {
  readonly logger: Logger
  /** The records so far: the message under `msg` or `message`, and the fields next to it. */
  readonly records: () => readonly Record<string, unknown>[]
}

/** A destination that collects lines of JSON. */
function aDestination() {
  const lines: string[] = []
  const records = () => lines.map((line): Record<string, unknown> => JSON.parse(line))
  return { stream: { write: (line: string) => void lines.push(line) }, records }
}

function ofPino(): Recording {
  const { stream, records } = aDestination()
  return { logger: pino({ level: 'debug' }, stream), records }
}

function ofBunyan(): Recording {
  const { stream, records } = aDestination()
  const raw: object = stream
  return {
    logger: bunyan.createLogger({ name: 'app', level: 'debug', stream: raw as NodeJS.WritableStream }),
    records,
  }
}

function ofWinston(): Recording {
  const { stream, records } = aDestination()
  const format = winston.format.json()
  const transport = new winston.transports.Console({ format })
  transport.log = (info, next) => {
    stream.write(info[Symbol.for('message')])
    next()
  }
  return { logger: winston.createLogger({ level: 'debug', transports: [transport] }), records }
}

function ofConsole(): Recording {
  const methods = ['debug', 'warn', 'error'] as const
  const spies = methods.map((method) => vi.spyOn(console, method).mockReturnValue())
  onTestFinished(() => void vi.restoreAllMocks())
  const records = () => spies.flatMap(({ mock }) => mock.calls.map(([message, fields]) => ({ message, ...fields })))
  return { logger: console, records }
}

const ofChild = (parent: Recording & { readonly logger: object }): Recording => {
  const logger = (parent.logger as unknown as pino.Logger).child({ component: 'identity' })
  return { ...parent, logger }
}

const loggers: readonly (readonly [name: string, create: () => Recording])[] = [
  ['pino', ofPino],
  ['a child of pino', () => ofChild(ofPino())],
  ['bunyan', ofBunyan],
  ['a child of bunyan', () => ofChild(ofBunyan())],
  ['winston', ofWinston],
  ['a child of winston', () => ofChild(ofWinston())],
  ['console', ofConsole],
]

it.each(loggers)('%s keeps message and fields of the events of a call', async (_, create) => {
  service.respondTo('GET /api/v2/session/s', errorResponse(404, 'not_found'))
  const { logger, records } = create()

  await testClient({ logger })
    .client.sessions.retrieve('s')
    .catch(() => {})

  const [started] = records()
  expect(started?.msg ?? started?.message).toBe('sessions.retrieve request')
  expect(started).toMatchObject({
    operation: 'sessions.retrieve',
    method: 'GET',
    attempt: 1,
    type: 'request',
  })
  const failed = records().at(-1)
  expect(failed?.msg ?? failed?.message).toBe('sessions.retrieve error')
  expect(failed).toMatchObject({ error: { code: 'not_found' }, durationMs: expect.any(Number) })
})

it.each(loggers)('%s keeps message and fields of a failure of a callback', async (_, create) => {
  const { logger, records } = create()
  const on = {
    'verification.approved': () => {
      throw new StoreError({ message: 'The store is full.' })
    },
  }
  const handler = createWebhookHandler({ secret, now: clockAt(signedAt), logger, on })

  await handler.handle(await aDelivery())

  expect(records()).toHaveLength(1)
  const [record] = records()
  expect(record?.msg ?? record?.message).toMatch(/^the callback for verification\.approved failed: StoreError/)
  expect(record).toMatchObject({
    error: 'StoreError',
    code: 'store_failed',
    stack: expect.stringContaining(' at '),
  })
})
