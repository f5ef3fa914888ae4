import { setImmediate } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import type { VerificationClientOptions } from '../../src/index.ts'
import type { Timing } from '../../src/runtime/timing.ts'
import { showOnlyOurWords } from '../support/error-detail.ts'
import { aDecision, ageCheck, aSession, standalone } from '../support/fixtures.ts'
import { testOrg } from '../support/org-client.ts'
import { printed } from '../support/printed.ts'
import { recordingLogger } from '../support/recording-logger.ts'
import { scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { testClient } from '../support/verification-client.ts'

showOnlyOurWords()

type Hook = () => void
type Options = Pick<VerificationClientOptions, 'logger'> & Partial<Timing>

const image = Uint8Array.of(1)

/** Each hook of a client, and a call that calls it at least once. */
const hooks: Readonly<Record<string, (hook: Hook, options: Options) => PromiseLike<unknown>>> = {
  onEvent: (onEvent, options) =>
    testClient({ fetch: scriptedFetch(succeed()).fetch, onEvent, ...options }).client.sessions.retrieve('s'),
  onStatus: (onStatus, options) => {
    const { fetch } = scriptedFetch(succeed(aSession({ status: 'APPROVED' })), succeed(aDecision()))
    return testClient({ fetch, ...options }).client.sessions.waitForDecision('s', { onStatus })
  },
  onUploadProgress: (onUploadProgress, options) =>
    testClient({
      fetch: scriptedFetch(succeed(standalone(ageCheck()))).fetch,
      ...options,
    }).client.checks.liveness({ image }, { onUploadProgress }),
  'onProgress of addAll': (onProgress, options) =>
    testOrg({ fetch: scriptedFetch(succeed({ created: [] })).fetch, ...options }).org.members.addAll(
      [{ email: 'ada@example.test' }],
      { onProgress },
    ),
  'onProgress of inviteAll': (onProgress, options) =>
    testOrg({ fetch: scriptedFetch(succeed({})).fetch, ...options }).org.members.inviteAll(['vmem_1'], {
      onProgress,
    }),
}

const canary = new TypeError('canary of sess_1 /path')

const failures: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw canary
  },
  rejects: () => Promise.reject(canary),
  'returns a thenable that rejects': () => ({
    // biome-ignore lint/suspicious/noThenProperty: libraries have thenables of their own
    then: (_: unknown, reject: (thrown: unknown) => void) => reject(canary),
  }),
}

const rows = Object.entries(hooks).flatMap(([name, call]) =>
  Object.entries(failures).map(([how, hook]) => ({ name, how, call, hook: hook as Hook })),
)

it.each(rows)('writes once that $name $how, to console.error or to the logger', async ({ name, call, hook }) => {
  const print = vi.spyOn(console, 'error').mockReturnValue()
  const { logger, records } = recordingLogger()
  const hidden = '(its message is hidden: to see it, set SVC_ERROR_DETAIL=full)'
  const line = `${name.replace(/ .*/, '')} threw: TypeError ${hidden}`

  await call(hook, {})
  await call(hook, { logger })
  await setImmediate()

  const errors = records.filter(([level]) => level === 'error')
  expect(print).toHaveBeenCalledTimes(1)
  const [first, second] = String(print.mock.calls[0]).split('\n')
  expect(first).toBe(`identity-service-sdk: ${line}`)
  expect(second).toMatch(/^ +at /)
  expect(errors).toEqual([['error', line, { error: 'TypeError', stack: expect.stringContaining('hooks.test.ts') }]])
  expect(printed(errors, print.mock.calls)).not.toContain('canary')
})

it('writes again after a minute that a hook throws, with the number of times in between', async () => {
  const { logger, records } = recordingLogger()
  let now = 0
  const onEvent = failures.throws as Hook
  const { client } = testClient({ fetch: scriptedFetch(succeed()).fetch, onEvent, logger, now: () => now })

  await client.sessions.retrieve('s')
  now = 60_000
  await client.sessions.retrieve('s')

  expect(records.filter(([level]) => level === 'error').map(([, line]) => line)).toEqual([
    'onEvent threw: TypeError (its message is hidden: to see it, set SVC_ERROR_DETAIL=full)',
    'onEvent threw (and 1 more since the last message): TypeError (its message is hidden: to see it, set SVC_ERROR_DETAIL=full)',
  ])
})
