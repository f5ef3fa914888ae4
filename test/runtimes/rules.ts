import { expect } from 'vitest'
import { imageBytes } from './program/image.mjs'
import { digestOf } from './service.ts'

/** What a runtime has, and what the package can know there. */
export interface Platform {
  /** What it calls itself. */
  readonly userAgent: RegExp
  readonly transport: 'undici' | 'fetch'
  readonly hasFiles: boolean
  /** Whether its fetch tells a service that is not there from one that breaks off. */
  readonly tellsRefusedConnections: boolean
  /** Whether a stream of known length can be sent with its length. */
  readonly tellsLengthOfStreams: boolean
}

/** What an app sees, by the name of the scenario. */
export type Seen = Readonly<Record<string, unknown>>

type Rule = readonly [title: string, seen: Seen]

/** Of everything that an app saw, what a rule is about. */
export const only = (rule: Seen, seen: Seen): Seen =>
  Object.fromEntries(Object.keys(rule).map((name) => [name, seen[name]]))

/** What holds on every runtime, with the few differences that a platform makes. */
export function rulesFor(platform: Platform): readonly Rule[] {
  const sha256 = digestOf(imageBytes())
  const image = { filename: 'image.jpg', type: 'image/jpeg', sha256, tellsLength: true }
  const stream = { ...image, tellsLength: false }
  const measured = { ...image, tellsLength: platform.tellsLengthOfStreams }
  const file = { ...measured, filename: 'Zoë.jpg' }
  const unsure = { code: 'connection_failed', name: 'ConnectionError', mayHaveArrived: true }
  const notThere = { ...unsure, mayHaveArrived: !platform.tellsRefusedConnections }
  const isUndici = platform.transport === 'undici'

  return [
    ['the program runs there', { runtime: expect.stringMatching(platform.userAgent) }],
    [
      'a call answers',
      {
        call: {
          created: { name: 'Zoë' },
          status: 'NOT_STARTED',
          answer: { attempts: 1, status: 200, requestId: 'req_1' },
        },
        roster: ['zoë@example.test'],
        compressed: 'sess_1',
      },
    ],
    [
      isUndici ? 'calls go through the pooled transport' : "calls go through the platform's fetch",
      {
        transport: isUndici ? 0 : 1,
        userAgent: expect.stringMatching(/^identity-service-sdk\/\d/),
        dispatcher: isUndici ? 'no error' : { name: 'ConfigurationError', code: 'configuration' },
      },
    ],
    ['a service that is busy is asked again', { retry: 2 }],
    [
      'what goes wrong is told apart',
      {
        refusal: { name: 'NotFoundError', code: 'not_found', status: 404 },
        redirect: { name: 'ApiError', code: 'http_302', status: 302 },
        brokenOff: unsure,
        nobodyThere: notThere,
      },
    ],
    [
      'an aborted call ends, and its request with it',
      {
        abort: { failure: { name: 'AbortedError', code: 'aborted', mayHaveArrived: true }, left: 'sess_1' },
      },
    ],
    [
      'a timeout ends a call, also in the middle of its answer',
      {
        timeout: { failure: { name: 'TimeoutError', code: 'timeout', mayHaveArrived: true }, left: 'sess_1' },
        trickle: { name: 'TimeoutError', code: 'timeout', mayHaveArrived: true },
      },
    ],
    [
      'an image in memory arrives whole, whatever holds it',
      {
        bytes: image,
        arrayBuffer: image,
        blob: image,
        dataUrl: image,
        named: { ...image, filename: 'Zoë "1".jpg' },
        json: { json: sha256, tellsLength: true },
        tooLarge: { name: 'InvalidParamsError', code: 'invalid_params' },
      },
    ],
    [
      'an image that is streamed arrives whole',
      { stream, pieces: stream, progress: { received: measured, isWhole: true } },
    ],
    ['an upload is repeated with the very same bytes', { repeated: { ...image, isSameAgain: true } }],
    [
      platform.hasFiles
        ? 'an image from a file arrives whole, again on each attempt'
        : 'an image from a file is refused where there are none',
      {
        noSuchFile: { name: 'InvalidParamsError', code: 'invalid_params' },
        ...(platform.hasFiles ? { file, repeatedFile: { ...file, isSameAgain: true } } : {}),
      },
    ],
    [
      'a webhook is verified and handled once, a forged one refused',
      {
        webhook: {
          first: [200, '{"outcome":"processed"}'],
          second: [200, '{"outcome":"duplicate"}'],
          events: ['sess_1'],
        },
        forgedWebhook: [400, '{"outcome":"rejected","reason":"signature_mismatch"}'],
        verifiedWebhook: { type: 'verification.approved', vendor_data: 'user-42' },
        signedWebhook: true,
      },
    ],
    [
      'an id_token is validated, an expired or forged one refused',
      {
        idToken: 'user_1',
        idTokenAlone: 'user_1',
        expiredIdToken: { name: 'TokenValidationError', code: 'token_refused', reason: 'expired' },
        forgedIdToken: { name: 'TokenValidationError', code: 'token_refused', reason: 'signature_mismatch' },
      },
    ],
    ['the memory store keeps to its rules', { store: [true, false, true, 'two', null, null] }],
    [
      'tokens are kept encrypted',
      { tokenManager: { legible: 0, writes: 1, token: 'access_1_0123456789abcdef' } },
    ],
    [
      'the emulator works without a network',
      { emulator: { page: 200, decision: 'APPROVED', check: 'passed', charges: 1 } },
    ],
    [
      platform.hasFiles ? 'the emulator listens' : 'the emulator says that it cannot listen',
      {
        listen: platform.hasFiles
          ? { session: 'string', closed: notThere }
          : { name: 'ConfigurationError', code: 'configuration' },
      },
    ],
    [
      'people sign in',
      {
        signIn: {
          isOneUser: true,
          forged: { name: 'CallbackError', code: 'callback_refused', reason: 'state_mismatch' },
        },
        signInHandler: [302, 200, '"string"'],
      },
    ],
    ['an error is known from every entry', { oneFamily: [true, true, true, false] }],
  ]
}
