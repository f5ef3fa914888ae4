import { format } from 'node:util'
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

function ofWinston(...formats: Parameters<typeof winston.format.combine>): Recording {
  const { stream, records } = aDestination()
  const format = winston.format.combine(...formats, winston.format.json())
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
  const printed = (message: unknown, ...more: unknown[]) => ({
    // As console prints it, with a word in place of the fields.
    message: format(message, ...more.slice(0, -1), 'FIELDS').replace(/ FIELDS$/, ''),
    ...Object(more.at(-1)),
  })
  const records = () => spies.flatMap(({ mock }) => mock.calls.map((line) => printed(...(line as [unknown]))))
  return { logger: console, records }
}

/** Braces are places for fields, as in LogTape. */
function ofTemplates(): Recording {
  const lines: Record<string, unknown>[] = []
  const write = (template: string, fields: Record<string, unknown> = {}) => {
    const message = template.replace(/\{(.*?)\}/g, (_, name) => String(fields[name]))
    lines.push({ ...fields, message })
  }
  return { logger: { debug: write, info: write, warn: write, error: write }, records: () => lines }
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
  ['winston', () => ofWinston()],
  ['winston with splat', () => ofWinston(winston.format.splat())],
  ['a child of winston', () => ofChild(ofWinston())],
  ['console', ofConsole],
  ['a logger of templates', ofTemplates],
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

it.each(loggers)('%s loses no text of a message that looks like a template, and no fields', async (_, create) => {
  const { logger, records } = create()
  const text = 'caf%c3%a9: 100%, %s %o %%, {"code":"bad"} for {welcome}'
  const on = { 'verification.approved': () => Promise.reject(new Error(text)) }
  const handler = createWebhookHandler({ secret, now: clockAt(signedAt), logger, on, errorDetail: 'full' })

  await handler.handle(await aDelivery())

  const [record] = records()
  const message = String(record?.msg ?? record?.message)
  expect(message).toMatch(/^the callback for verification\.approved failed: Error/)
  expect(record?.text ?? message).toBe(`the callback for verification.approved failed: Error: ${text}`)
  expect(record).toMatchObject({ error: 'Error', stack: expect.stringContaining(' at ') })
})
