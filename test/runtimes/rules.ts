import { expect } from 'vitest'
import { imageBytes } from './program/image.mjs'
import { digestOf } from './service.ts'

/** The features of a runtime. */
export interface Platform {
  /** The name that the runtime reports. */
  readonly userAgent: RegExp
  readonly transport: 'undici' | 'fetch'
  readonly hasFiles: boolean
  /** Whether its fetch distinguishes a refused connection from a lost one. */
  readonly reportsRefusedConnections: boolean
  /** Whether a stream of known length is sent with a `content-length`. */
  readonly sendsLengthOfStreams: boolean
}

/** The results of an app, by scenario. */
export type Report = Readonly<Record<string, unknown>>

type Rule = readonly [title: string, expected: Report]

/** Returns the part of a report that a rule is about. */
export const only = (rule: Report, report: Report): Report =>
  Object.fromEntries(Object.keys(rule).map((name) => [name, report[name]]))

/** Returns the rules for a platform. They are the same on every runtime, with a few differences. */
export function rulesFor(platform: Platform): readonly Rule[] {
  const sha256 = digestOf(imageBytes())
  const image = { filename: 'image.jpg', type: 'image/jpeg', sha256, hasLength: true }
  const stream = { ...image, hasLength: false }
  const sized = { ...image, hasLength: platform.sendsLengthOfStreams }
  const file = { ...sized, filename: 'Zoë.jpg' }
  const connectionLost = { code: 'connection_failed', name: 'ConnectionError', mayHaveArrived: true }
  const refused = { ...connectionLost, mayHaveArrived: !platform.reportsRefusedConnections }
  const isUndici = platform.transport === 'undici'

  return [
    ['the program runs on this runtime', { runtime: expect.stringMatching(platform.userAgent) }],
    [
      'a call returns the data and the facts of its response',
      {
        call: {
          created: { name: 'Zoë' },
          status: 'NOT_STARTED',
          response: { attempts: 1, status: 200, requestId: 'req_1' },
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
    ['a call is retried if the service is busy', { retry: 2 }],
    [
      'a write that must not be repeated is sent once, also if the connection closes before the response',
      {
        writesSent: {
          lost: true,
          sent: ['POST /api/v2/session {"workflow_id":"wf_cut"}', 'POST /api/sdk/members/vmem_cut/invite'],
        },
      },
    ],
    [
      'errors have the class and code of their cause',
      {
        serviceError: { name: 'NotFoundError', code: 'not_found', status: 404 },
        redirect: { name: 'ApiError', code: 'http_302', status: 302 },
        connectionLost,
        connectionRefused: refused,
      },
    ],
    [
      'an aborted call ends and closes its request',
      {
        abort: { failure: { name: 'AbortedError', code: 'aborted', mayHaveArrived: true }, left: 'sess_1' },
      },
    ],
    [
      'a timeout ends a call, also in the middle of its response',
      {
        timeout: { failure: { name: 'TimeoutError', code: 'timeout', mayHaveArrived: true }, left: 'sess_1' },
        trickle: { name: 'TimeoutError', code: 'timeout', mayHaveArrived: true },
      },
    ],
    [
      'an image in memory arrives complete, in each form of input',
      {
        bytes: image,
        arrayBuffer: image,
        blob: image,
        dataUrl: image,
        named: { ...image, filename: 'Zoë "1".jpg' },
        json: { json: sha256, hasLength: true },
        tooLarge: { name: 'InvalidParamsError', code: 'invalid_params' },
      },
    ],
    ['a streamed image arrives complete', { stream, pieces: stream, progress: { received: sized, isComplete: true } }],
    ['an upload is retried with the same bytes', { retried: { ...image, isSameBody: true } }],
    [
      platform.hasFiles
        ? 'an image from a file arrives complete on each attempt'
        : 'an image from a file is rejected on a platform without files',
      {
        missingFile: { name: 'InvalidParamsError', code: 'invalid_params' },
        ...(platform.hasFiles ? { file, retriedFile: { ...file, isSameBody: true } } : {}),
      },
    ],
    [
      'a webhook is verified and handled once, and a forged one is rejected',
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
      'an id_token is validated, and an expired or forged one is rejected',
      {
        idToken: 'user_1',
        idTokenAlone: 'user_1',
        expiredIdToken: { name: 'TokenValidationError', code: 'token_refused', reason: 'expired' },
        forgedIdToken: { name: 'TokenValidationError', code: 'token_refused', reason: 'signature_mismatch' },
      },
    ],
    ['the memory store sets, compares and expires values', { store: [true, false, true, 'two', null, null] }],
    [
      'stored tokens are encrypted',
      { tokenManager: { unencrypted: 0, writes: 1, token: 'access_1_0123456789abcdef' } },
    ],
    [
      'the emulator works without a network',
      { emulator: { page: 200, decision: 'APPROVED', check: 'passed', charges: 1 } },
    ],
    [
      platform.hasFiles ? 'the emulator listens on a port' : 'listen rejects with a ConfigurationError',
      {
        // A connection that was kept may be lost before a new one is refused.
        listen: platform.hasFiles
          ? { session: 'string', closed: expect.objectContaining({ code: 'connection_failed' }) }
          : { name: 'ConfigurationError', code: 'configuration' },
      },
    ],
    [
      'people sign in',
      {
        signIn: {
          isOneUser: true,
          forged: { name: 'CallbackError', code: 'callback_refused', status: 400, reason: 'state_mismatch' },
        },
        signInHandler: [302, 200, '"string"'],
      },
    ],
    ['errors are recognized with the classes of every entry', { errorClasses: [true, true, true, false] }],
  ]
}
