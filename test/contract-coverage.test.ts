import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { findEndpoint } from '../src/contract/endpoint.ts'
import { verificationEndpoints } from '../src/contract/verification/endpoints.ts'
import { createEmulator } from '../src/emulator.ts'
import { isSdkError } from '../src/errors.ts'
import { VerificationClient } from '../src/verification.ts'
import { named, operations } from './support/operations.ts'
import { testTitles } from './support/source-files.ts'

/** A file of tests below `test/`, and titles in it that hold a number of the checklist. */
type Held = Readonly<Record<string, readonly string[]>>

const sends = '%s sends the documented request and gives what is in the envelope'
const refuses = '$name tells $status $code with all that the service said'
const refusesParams = '$method refuses $given, naming $paths, and sends nothing'

/** The checklist of the design (`coverage.md`), each number with the tests that fail when it is broken. */
const checklist: Readonly<Record<number, Held>> = {
  1: {
    'verification/operations': [sends],
    'verification/sessions': [
      'creates a session from no params at all, since the contract does not say which are mandatory',
      'sends ttl_seconds %d as it is',
      'leaves it to the service whether a callback is allowed',
    ],
    'types/verification': [
      'makes every field of a session’s params optional and types all seven',
      'types all seven fields of a session',
    ],
  },
  2: {
    'verification/operations': [sends],
    'verification/sessions': [
      'lists one page without params and sends no query',
      'keeps what came beside a page of sessions in the envelope',
    ],
  },
  3: {
    'verification/sessions': [
      'keeps all fields of a session, also those that the contract only names or does not know',
    ],
  },
  4: {
    'verification/sessions': [
      'gives a pending decision as null, with %s',
      'never reads an outcome out of the status %s',
      'refuses the decision $decision under responseValidation $mode',
    ],
    'types/verification': ['has a caller look at a decision before it is an outcome'],
  },
  5: {
    'verification/documented-errors': [refuses],
    'verification/status-update': [
      'throws already_decided at once, with the status that stands, when it answers the first attempt',
      'throws %d %s as %s, without a read or a repeat',
      'sends an override whatever status the session was last seen in',
      'takes an override for done when the session has its status after %s',
      'overrides again when the session has another status after %s',
      'throws the first failure when the session cannot be read either',
    ],
  },
  6: {
    'verification/sessions': [
      'gives the status %s as it came',
      'gives a session that goes back to an earlier status: transitions are the service’s to judge',
    ],
    'types/verification': ['leaves what the service sends open: known values complete, others are taken'],
  },
  7: { 'verification/return-url': ['reads what %s brought back', 'reads a URL object like its text'] },
  8: {
    'verification/wait-for-decision': [
      'ends with the decision once the session is %s',
      'asks less and less often: the pause grows from pollIntervalMs to eight times that',
      'gives up after timeoutMs and tells the last status',
      'ends at once when the signal aborts, also in the middle of a pause',
      'stops at IN_REVIEW on request, without an outcome',
      'ends with a SessionEndedError once the session is %s',
      'asks again while the decision lags behind the status, and takes no outcome from the status',
      'waits an outage out',
      'hears of each status that differs from the one before',
    ],
  },
  9: { 'verification/docstrings': ['tells %s where a caller reads it: %s, %s'] },
  10: {
    'verification/operations': [sends],
    'verification/workflows': [
      'keeps workflows at another path on request: %s',
      'sends any body and gives any fields of a workflow: its payloads are not shown',
      'tells on %s that a workflow is unknown or foreign',
    ],
    'verification/docstrings': ['marks what the contract does not confirm as experimental: %s, %s'],
  },
  11: {
    'verification/checks': [
      'gives a $type check that is $status as a result',
      "keeps a check's error where it is %s",
      'gives checks of a type that this version does not know',
    ],
    'types/verification': [
      'narrows the data of a check by its type',
      'leaves a member of the union for checks of types to come',
      'gives every check a status, an optional score and an open error',
    ],
  },
  12: {
    'verification/images': ['sends %s as a file of the form', 'sends %s as base64 when asked for JSON'],
    'types/verification': ['takes an image in every form'],
  },
  13: {
    'verification/operations': [sends],
    'verification/checks': ['gives all that was read from an ID, and fields that this version does not know'],
  },
  14: {
    'verification/checks': ["goes by the service's status for liveness, whatever the live_score"],
    'verification/docstrings': ['tells %s where a caller reads it: %s, %s'],
  },
  15: {
    'verification/checks': ["tells similarity %d and the service's own threshold %d of a face match"],
    'verification/docstrings': ['judges no face match by a threshold of its own'],
  },
  16: {
    'verification/operations': [sends],
    'verification/checks': [
      'keys age bands as the service keyed them, with null for one that it could not read',
      'names the thresholds that the account mode answers',
    ],
    'verification/docstrings': ['states a limit of the service where a caller meets it: %s, %s'],
  },
  17: {
    'verification/checks': [
      'takes the aliases of the combined check and sends the canonical names',
      'gives identity and every check of the combined check, failed ones included',
    ],
  },
  18: {
    'verification/checks': [
      'tells a location match as %s',
      'sends a location with %s: what it means is for the service to say',
    ],
  },
  19: {
    'verification/bad-params': [refusesParams],
    'verification/checks': [
      'sends a licence check with %s',
      'sends %s of a licence each under its own name',
      'sends the licence number %j verbatim',
      'gives %s of a licence check as it came',
      'throws license_not_found answered as %d',
    ],
    'verification/assert-passed': ['refuses %s'],
    'types/verification': [
      'takes a licence check with no name, a full name, both names, or an access token',
      'refuses names that contradict each other, half a name, and a licence of no kind, state or number',
    ],
  },
  20: {
    'verification/checks': ['gives a $type check that is $status as a result'],
    'verification/assert-passed': ['lets %s through that passed', 'refuses %s'],
  },
  21: {
    'verification/client': [
      '%s has 30 seconds an attempt, or 90 where a board is asked live',
      '%s keeps to a timeout of the caller or the client',
    ],
  },
  22: {
    'verification/operations': [sends, "%s carries a caller's Idempotency-Key, unless it only reads"],
    'verification/idempotency': [
      '%s is repeated under the same key with the same bytes',
      '%s has another key each time it is called',
      'waits for a key in progress and asks again, which does not count as a retry',
      'throws a key that was used with another body at once',
    ],
    'verification/sessions': ['creates a session at the second attempt after %s, under the same key'],
  },
  23: {
    'verification/operations': [sends],
    'verification/discovery': [
      'picks a provider by its credential_code, which alone is unique',
      'tells which required fields are missing when %s',
      'builds the params of a check from a provider and what was collected',
    ],
  },
  24: {
    'verification/operations': [sends],
    'verification/bad-params': [refusesParams],
    'verification/experimental': [
      '$name sends a burst of $frames frames',
      '%s sends a single image or any other body, and gives any answer',
      'offers no way to unlink a face: the contract gives that operation no path',
    ],
    'verification/docstrings': ['marks what the contract does not confirm as experimental: %s, %s'],
  },
  25: {
    'verification/raw-request': [
      'calls a path that has no method, in the same envelope',
      'throws the same errors as any other call',
      'treats the path of %s as that operation, its charge included',
      'never repeats a $method of a path it does not know after $after',
      'refuses the path %j and sends nothing',
    ],
  },
  26: {
    'oidc/authorization': [
      'sends the browser to the authorize endpoint with all parameters of the contract',
      'always asks for openid: %j',
    ],
  },
  27: {
    'oidc/callback': [
      'refuses a callback with %s, and sends nothing',
      'says no more than "state mismatch" of a state that differs',
    ],
  },
  28: {
    'oidc/token-endpoint': ['exchanges a code with exactly the fields of the contract, as JSON'],
    'oidc/token-failures': [
      'does not look for the tokens in an envelope',
      'never repeats an exchange or a refresh after %s',
    ],
  },
  29: {
    'oidc/id-token': [
      'refuses an id_token with %s',
      'takes an id_token with %s',
      'refuses every change of one character',
    ],
    'oidc/validate-id-token': ['validates an id_token without a client, %s'],
  },
  30: {
    'oidc/token-endpoint': ['refreshes with exactly four fields, as JSON'],
    'oidc/with-emulator': [
      'renews the tokens of the same person, and hears that a refresh token was used twice',
    ],
  },
  31: {
    'oidc/id-token': ['gives every claim as it came'],
    'oidc/access-token': ['gives every claim as it came'],
  },
  32: {
    'oidc/token-failures': ['tells %i %s in either of the two error forms'],
    'oidc/with-emulator': ['hears that its secret is wrong, and that its app is not active'],
  },
  33: {
    'oidc/legacy': [
      '$what sends and reads the documented shape',
      '$what, once removed, names what to call instead',
    ],
  },
  34: {
    'oidc/legacy': ['encodes the halves of HTTP Basic, so that a colon stays where it is'],
    'oidc/login-marker': ['spends a marker once', 'takes no marker that another secret has signed'],
  },
  35: {
    'org/operations': [
      '%s sends the documented request and gives what is in the envelope',
      'resolve finds nobody without an error, and sends both names when it has them',
    ],
    'org/bad-params': ['resolve refuses %s, names the field and sends nothing'],
    'org/client': ['refuses %s when validation is strict'],
    'org/member-states': ['lists the role member alone, with the organization'],
  },
  36: {
    'org/bad-params': [
      'add refuses %s, names the field and sends nothing',
      'add leaves %i members to the service',
    ],
    'org/client': ['lets through roles, statuses, reasons and fields that are not documented yet'],
    'org/add-all': [
      'adds 1,234 members in three calls, and yields each as it was done',
      'tells the batch that met %s, and adds the others',
      'tells who was skipped and who came back',
    ],
  },
  37: {
    'org/operations': [
      'keeps the member id %s in one segment of the path',
      'remove tells its three results apart',
    ],
    'org/member-states': [
      'a member lives through every transition (%s)',
      'nobody of the name is 404 not_found, with the request id (%s)',
    ],
    'org/invite-all': [
      'invites 25 members within the limit of a service that counts them together',
      'sends at most 10 in any minute to a service that answers %s',
    ],
  },
  38: {
    'org/operations': ['%s tells what is wrong with each field, over both transports'],
    'org/member-states': ['field errors of the service reach the caller by field'],
  },
  39: {
    'org/client': [
      'keeps amounts as the service sent them',
      'gives subscription null before there is a plan',
    ],
    'org/member-states': ['the bill follows the roster, and its numbers are not rounded'],
  },
  45: {
    'verification/sessions': ['keeps what came beside a page of sessions in the envelope'],
    'verification/responses': [
      'keeps what else an error said in details, and the answer’s headers',
      'names the request by %s on results and errors',
    ],
  },
  46: {
    'contract/error-catalog': [
      'lists the 147 rows of the table and the 7 codes outside it, each with its statuses',
      'gives each code one of four actors and one of three retry values',
    ],
    'verification/documented-errors': ['code $code arrives as the class of its status, $status'],
  },
  47: {
    'verification/documented-errors': [refuses, 'code $code arrives as the class of its status, $status'],
    'verification/responses': ['gives a status and a code that it does not know as they came: %d %s'],
  },
  48: {
    'verification/client': [
      'carries the key as X-API-Key unless told otherwise',
      'carries the key as a bearer token on request, and then in no other header',
    ],
  },
  49: {
    'org/docstrings': ['states a limit of the service where a caller meets it: %s, %s'],
    'verification/bad-params': [refusesParams],
    'verification/docstrings': ['states a limit of the service where a caller meets it: %s, %s'],
    'verification/experimental': ['$name sends a burst of $frames frames'],
  },
  50: {
    'verification/client': [
      'puts /api/v2 behind the base URL %s',
      'puts /api/v2 behind the path of the base URL %s',
    ],
    'verification/operations-on-the-wire': ['%s sends the same over undici, under the path of the base URL'],
    'verification/sessions': [
      'keeps all fields of a session, also those that the contract only names or does not know',
    ],
    'types/verification': ['leaves what the service sends open: known values complete, others are taken'],
  },
}

/** Numbers of sections whose tests are a folder of their own. */
const heldByFolders: Readonly<Record<number, string>> = {
  40: 'webhooks',
  41: 'webhooks',
  42: 'webhooks',
  43: 'webhooks',
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

it('names every number of the checklist', () => {
  const numbers = [...Object.keys(checklist), ...Object.keys(heldByFolders)].map(Number)

  expect(numbers.sort((a, b) => a - b)).toEqual([...range(1, 43), ...range(45, 50)])
})

const claims = Object.entries(checklist).flatMap(([number, files]) =>
  Object.entries(files).flatMap(([file, titles]) => titles.map((title) => ({ number, file, title }))),
)

it.each(claims)('holds number $number by a test in $file: $title', ({ file, title }) => {
  expect([...testTitles(`test/${file}.test.ts`)]).toContain(title)
})

it.each(Object.entries(heldByFolders))('holds number %s by the tests in test/%s', (_, folder) => {
  const files = readdirSync(new URL(folder, import.meta.url)).filter((file) => file.endsWith('.test.ts'))
  const titles = files.flatMap((file) => [...testTitles(`test/${folder}/${file}`)])

  expect(titles.length).toBeGreaterThan(0)
})

it('declares exactly the operations that the tests spell by hand from the contract', () => {
  const declared = verificationEndpoints.map(({ operation }) => operation)

  expect(operations.map(({ name }) => name).sort()).toEqual([...declared].sort())
  expect(new Set(declared).size).toBe(23)
})

it.each(named(operations))(
  '%s is called at the path that is declared for it',
  (name, { method, path, billable }) => {
    const found = findEndpoint(verificationEndpoints, method, path)

    expect(found?.endpoint).toMatchObject({ operation: name, billable })
  },
)

it.each(named(operations))('%s is served by the emulator', async (_, operation) => {
  const emulator = createEmulator()
  const client = new VerificationClient({ ...emulator.options.verification, maxRetries: 0 })

  // It holds nothing under these ids and numbers; it must know the path and take the params.
  const outcome: unknown = await operation.call(client).catch((thrown: unknown) => thrown)

  const code = isSdkError(outcome) ? outcome.code : 'no error'
  expect(['endpoint_not_found', 'validation_error', 'invalid_params', 'invalid_response']).not.toContain(code)
})
