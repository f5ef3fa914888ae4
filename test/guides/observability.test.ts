import { beforeEach, expect, it } from 'vitest'
import { VerificationClient } from '../../src/index.ts'
import type { Logger, RequestEvent } from '../../src/verification.ts'
import { documented } from '../support/documented.ts'
import { columnOf } from './reading.ts'

const page = 'docs/observability.md'
const guide = documented('docs/observability.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

it('a logger without debug hears of repeats alone', async () => {
  expect(await guide.run('Logs')).toBe('')

  emulator.faults.add({ status: 503, headers: { 'retry-after': '0' } })
  expect(await guide.run('Logs')).toMatch(/^sessions\.list retry \{[\s\S]*ServerError/)
})

/** What the hooks hear of one call that is repeated once, and of one that fails. */
async function heard() {
  const levels = new Set<string>()
  const events: RequestEvent[] = []
  const at = (level: keyof Logger) => () => void levels.add(level)
  const client = new VerificationClient({
    ...emulator.options.verification,
    logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    onEvent: (event) => {
      events.push(event)
      if (event.type === 'error') throw new Error('the hook broke')
    },
  })
  emulator.faults.add({ status: 503, headers: { 'retry-after': '0' } })
  await client.sessions.list()
  await client.sessions.retrieve('sess_of_nobody').catch(() => {})
  return { levels, events }
}

it('the tables have every level that is used and every type of event, with what it tells', async () => {
  const { levels, events } = await heard()
  const common = ['type', 'callId', 'operation', 'method', 'path', 'attempt']
  const besides = (type: string) => {
    const named = events.filter((event) => event.type === type).flatMap((event) => Object.keys(event))
    return [...new Set(named)].filter((name) => !common.includes(name)).sort()
  }
  const types = columnOf(page, 'Events')
  const told = columnOf(page, 'Events', 2).map((cell) =>
    ['delayMs', 'durationMs', 'error', 'requestId', 'status'].filter((name) => cell.includes(name)),
  )

  expect(columnOf(page, 'Logs').sort()).toEqual([...levels].sort())
  expect(types.sort()).toEqual([...new Set(events.map(({ type }) => type))].sort())
  expect(columnOf(page, 'Events').map(besides)).toEqual(told)
})

it('answers and failures are counted by operation', async () => {
  expect(await guide.run('Metrics')).toBe(
    'answers sessions.list 200 1\nanswers sessions.retrieve 404 1\nfailures sessions.retrieve not_found 1\n',
  )
})

it('a result tells its request', async () => {
  expect(await guide.run('Find one call')).toMatch(/^200 1 req_\w+\n$/)
})

it('spans are told among the packages that are installed apart', () => {
  guide.elsewhere('Traces', 'test/runtimes/opentelemetry.test.ts')
  guide.elsewhere('Traces 2', 'test/runtimes/opentelemetry.test.ts')
})
