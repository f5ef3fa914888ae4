import { beforeEach, expect, it, vi } from 'vitest'
import { isSdkError } from '../../src/index.ts'
import { startMs } from '../oidc/issuer.ts'
import { jsonEntries } from '../support/json-entries.ts'
import { describeVectors } from '../support/vectors.ts'

type Suite = readonly {
  readonly name: string
  readonly expect: 'accept' | 'reject' | 'either'
  readonly b64: string
}[]

beforeEach(() => {
  vi.useFakeTimers({ now: startMs, toFake: ['Date', 'performance'] })
  return () => vi.useRealTimers()
})

/** What a text is parsed to, or `undefined`. It is JSON only if it is UTF-8. */
function parsed(json: Uint8Array, ignoreBOM = true): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM }).decode(json))
  } catch {
    return undefined
  }
}

const outcomeOf = async (call: Promise<unknown>, name: string) => {
  try {
    return { value: await call }
  } catch (error) {
    expect(isSdkError(error), `${name}: ${error}`).toBe(true)
    return { error: error as Error & { readonly code: string; readonly reason?: string } }
  }
}

/** What happens to the cases as a whole response, webhook or part of a token. */
const outcomes: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'the response of a documented call': { invalid_response: 316 },
  'the response of a call without a method': { accepted: 117, invalid_response: 199 },
  'the body of a webhook': { 'webhook_refused invalid_payload': 316 },
  'the header of a token': {
    'token_refused duplicate_member': 2,
    'token_refused malformed': 303,
    'token_refused unsupported_algorithm': 11,
  },
  'the payload of a token': {
    'token_refused duplicate_member': 2,
    'token_refused malformed': 303,
    'token_refused missing_claim': 11,
  },
}

/** What errors say if the text is not JSON. */
const notJson = /not (?:valid )?JSON|not valid UTF-8|is empty|is not a JSON object|is not base64url/

describeVectors<Suite>(
  'json/jsontestsuite.json',
  'that JSON of others is parsed as RFC 8259 requires, or rejected with a typed error',
  (cases) => {
    it.each(jsonEntries)('$name may have any JSON as a member, and nothing else', async ({ member }) => {
      const counts = { accepted: 0, rejected: 0 }
      for (const { name, expect: expected, b64 } of cases) {
        const json = new Uint8Array(Buffer.from(b64, 'base64'))

        const { error, value } = await outcomeOf(member(json), name)

        if (expected !== 'either') expect(error === undefined, name).toBe(expected === 'accept')
        if (error === undefined) expect(value, name).toEqual(parsed(json))
        else expect(error.message, name).toMatch(notJson)
        counts[error ? 'rejected' : 'accepted']++
      }
      expect(counts).toEqual({ accepted: 116, rejected: 200 })
    })

    it.each(jsonEntries)(
      '$name is rejected if it is not JSON, or JSON of another shape',
      async ({ name: entry, whole }) => {
        const counts: Record<string, number> = {}
        for (const { name, expect: expected, b64 } of cases) {
          const json = new Uint8Array(Buffer.from(b64, 'base64'))

          const { error, value } = await outcomeOf(whole(json), name)

          if (expected === 'reject') expect(error?.message, name).toMatch(notJson)
          if (expected === 'accept' && error) expect(error.message, name).not.toMatch(/valid JSON|UTF-8/)
          // Only a response may start with a byte order mark.
          if (error === undefined) expect(value, name).toEqual(parsed(json, !entry.startsWith('the response')))
          const outcome = error ? [error.code, error.reason].filter(Boolean).join(' ') : 'accepted'
          counts[outcome] = (counts[outcome] ?? 0) + 1
        }
        expect(counts).toEqual(outcomes[entry])
      },
    )
  },
)
