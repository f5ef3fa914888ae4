import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { findEndpoint } from '../src/contract/endpoint.ts'
import { verificationEndpoints } from '../src/contract/verification/endpoints.ts'
import { createEmulator } from '../src/emulator.ts'
import { isSdkError } from '../src/errors.ts'
import { VerificationClient } from '../src/verification.ts'
import { named, operations } from './support/operations.ts'
import { testTitles } from './support/source-files.ts'

/** A test file below `test/`, and the titles in it that cover a number of the checklist. */
type Coverage = Readonly<Record<string, readonly string[]>>

const sends = '%s sends the documented request and returns the data of the envelope'
const throwsErrors = '$name throws $status $code with all facts of the response'
const rejectsParams = '$method rejects $given, names $paths and sends nothing'

/** The checklist of the design (`coverage.md`). Each number lists the tests that fail if it is not met. */
const checklist: Readonly<Record<number, Coverage>> = {
  1: {
    'verification/operations': [sends],
    'verification/sessions': [
      'creates a session without params, because the contract does not say which are mandatory',
      'sends ttl_seconds %d unchanged',
      'lets the service decide whether a callback is allowed',
    ],
    'types/verification': [
      'all seven params of a new session are typed and optional',
      'all seven fields of a session are typed',
    ],
  },
  2: {
    'verification/operations': [sends],
    'verification/sessions': [
      'lists one page without params and sends no query',
      'keeps further members of the envelope of a page of sessions',
    ],
  },
  3: {
    'verification/sessions': [
      'keeps all fields of a session, including those that the contract does not list',
    ],
  },
  4: {
    'verification/sessions': [
      'returns decision null while the decision is pending, with %s',
      'never derives an outcome from the status %s',
      'rejects the decision $decision with responseValidation $mode',
      'rejects a decision with $what, with responseValidation $mode',
      'returns a decision unchanged if the data of a check is $what, with responseValidation $mode',
    ],
    'types/verification': ['a decision may be null, so it is not an outcome until a caller checks it'],
  },
  5: {
    'verification/documented-errors': [throwsErrors],
    'verification/status-update': [
      'throws already_decided with details.status after the first attempt, without a retry',
      'throws %d %s as %s, without a read or a retry',
      'sends an override even if the session was last read as EXPIRED',
      'succeeds if the session has the requested status after %s',
      'retries the override if the session has another status after %s',
      'throws the first failure if reading the session fails too',
    ],
  },
  6: {
    'verification/sessions': [
      'returns the status %s unchanged',
      'returns a session that went back to an earlier status, because the client checks no transitions',
    ],
    'types/verification': [
      'values from the service are open: known values are listed, and one type stands for the others',
    ],
  },
  7: { 'verification/return-url': ['reads the parameters of %s', 'reads a URL object like a string'] },
  8: {
    'verification/wait-for-decision': [
      'returns the decision as soon as the session is %s',
      'increases the pause between reads from pollIntervalMs to eight times that value',
      'throws WaitTimeoutError with the last status after timeoutMs',
      'ends at once if the signal aborts, also during a pause',
      "stops at IN_REVIEW without an outcome if until is 'IN_REVIEW'",
      'throws SessionEndedError if the session is %s',
      'continues to read while the decision is still null, and never derives it from the status',
      'continues to wait during an outage',
      'calls onStatus for each status that differs from the previous one',
      'returns the decision even if onStatus %s',
    ],
  },
  9: { 'verification/docstrings': ['the docstring of %s, %s states the rule of the service'] },
  10: {
    'verification/operations': [sends],
    'verification/workflows': [
      'requests workflows at the path of workflowsPath: %s',
      'sends any body and returns any fields of a workflow, because the contract documents no payloads',
      '%s throws workflow_not_found for an unknown or foreign workflow',
    ],
    'verification/docstrings': ['marks what the contract does not confirm as experimental: %s, %s'],
  },
  11: {
    'verification/checks': [
      'returns a $type check with status $status as a result',
      'keeps the error of a check if it is %s',
      'returns checks of a type that is not in the contract',
    ],
    'types/verification': [
      'narrows the data of a check by its type',
      'keeps a member of the union for future types of checks',
      'every check has a status, an optional score and an open error',
    ],
  },
  12: {
    'verification/images': ['sends %s as a file of the form', "sends %s as base64 if encoding is 'json'"],
    'types/verification': ['accepts an image in every form of input'],
  },
  13: {
    'verification/operations': [sends],
    'verification/checks': ['returns all fields of an ID, including fields that are not in the contract'],
  },
  14: {
    'verification/checks': ['returns the status of the service for liveness, independent of live_score'],
    'verification/docstrings': ['the docstring of %s, %s states the rule of the service'],
  },
  15: {
    'verification/checks': [
      'returns the similarity %d and the threshold %d that the service sent for a face match',
    ],
    'verification/docstrings': ['contains no face match threshold of its own'],
  },
  16: {
    'verification/operations': [sends],
    'verification/checks': [
      'keeps the keys of the service for age bands, with null for an unparseable band',
      'accountAgeThresholds lists the thresholds of account mode',
    ],
    'verification/docstrings': ['the docstring of %s, %s states the limit of the service'],
  },
  17: {
    'verification/checks': [
      'accepts the aliases of the combined check and sends the canonical names',
      'returns the identity and every check of the combined check, including failed ones',
    ],
  },
  18: {
    'verification/checks': [
      'returns a location match as %s',
      'sends a location with %s, because the service decides what it means',
    ],
  },
  19: {
    'verification/bad-params': [rejectsParams],
    'verification/checks': [
      'sends a licence check with %s',
      'sends the board and the type of a licence under separate names: %s',
      'sends the licence number %j verbatim',
      'returns the result of a licence check unchanged: %s',
      'throws license_not_found with status %d',
    ],
    'verification/assert-passed': ['rejects %s'],
    'types/verification': [
      'accepts a licence check without a name, with a full name, with both names, or with an access token',
      'rejects contradicting names, half a name, and a licence without type, state or number',
    ],
  },
  20: {
    'verification/checks': ['returns a $type check with status $status as a result'],
    'verification/assert-passed': ['accepts %s', 'rejects %s'],
  },
  21: {
    'verification/client': [
      '$name has a timeout of $expected ms per attempt',
      '%s honors a timeout of the call or the client',
    ],
  },
  22: {
    'verification/operations': [sends, '%s sends the Idempotency-Key of the caller, unless it is a GET'],
    'verification/idempotency': [
      '%s is retried with the same key and the same bytes',
      '%s has a new key for each call',
      'waits and retries while a key is in progress, which does not count toward maxRetries',
      'throws idempotency_key_reused at once',
    ],
    'verification/sessions': ['retries the creation of a session after %s, with the same key'],
  },
  23: {
    'verification/operations': [sends],
    'verification/discovery': [
      'picks a provider by its credential_code, because only that is unique',
      'returns the missing required fields if %s',
      'builds the params of a check from a provider and the collected fields',
    ],
  },
  24: {
    'verification/operations': [sends],
    'verification/bad-params': [rejectsParams],
    'verification/experimental': [
      '$name sends a burst of $frames frames',
      '%s sends a single image or any other body, and returns any response',
      'has no method to unlink a face, because the contract gives that operation no path',
    ],
    'verification/docstrings': ['marks what the contract does not confirm as experimental: %s, %s'],
  },
  25: {
    'verification/raw-request': [
      'calls a path that has no method, and decodes the same envelope',
      'throws the same errors as any other call',
      'treats the path of %s as that operation, including its charge',
      'never retries a $method of an undeclared path after $after',
      'rejects the path %j and sends nothing',
    ],
  },
  26: {
    'oidc/sign-in/authorization': [
      'creates a URL of the authorize endpoint with all parameters of the contract',
      'always requests openid: %j',
    ],
  },
  27: {
    'oidc/sign-in/callback': [
      'rejects a callback with %s, and sends nothing',
      'has a message that says "state mismatch", and the hint, for another state',
    ],
  },
  28: {
    'oidc/tokens/token-endpoint': ['exchanges a code with exactly the fields of the contract, as JSON'],
    'oidc/tokens/token-failures': [
      'rejects tokens inside an envelope',
      'never retries a code exchange or a refresh after %s',
    ],
  },
  29: {
    'oidc/validation/id-token': [
      'rejects an id_token with %s, and names the reason',
      'rejects an id_token with %s',
      'accepts an id_token with %s',
      'rejects a token with any single character changed',
    ],
    'oidc/validation/validate-id-token': ['validates an id_token without a client, %s'],
  },
  30: {
    'oidc/tokens/token-endpoint': ['refreshes with exactly four fields, as JSON'],
    'oidc/with-emulator': ['refreshes tokens, and throws invalid_grant if a refresh token is used twice'],
  },
  31: {
    'oidc/validation/id-token': ['returns every claim as received'],
    'oidc/validation/access-token': ['returns every claim as received'],
  },
  32: {
    'oidc/tokens/token-failures': ['reads %i %s from both error forms'],
    'oidc/with-emulator': [
      'throws invalid_client if the secret is wrong, and unauthorized_client if the app is inactive',
    ],
  },
  33: {
    'oidc/legacy/legacy': [
      '$what sends and returns the documented fields',
      '$what names the method to call instead after its endpoint was removed',
    ],
  },
  34: {
    'oidc/legacy/legacy': ['form-encodes id and secret for HTTP Basic, because an id may contain a colon'],
    'oidc/legacy/login-marker': [
      'accepts a marker once',
      'rejects a marker that was signed with another secret',
    ],
  },
  35: {
    'org/operations': [
      '%s sends the documented request and returns the data of the envelope',
      'resolve returns found false without an error, and sends both fields if both are given',
    ],
    'org/bad-params': ['resolve rejects %s, names the field and sends nothing'],
    'org/client': ['rejects %s if responseValidation is strict, and otherwise returns it'],
    'org/member-states': ['lists only the role member, with the organization'],
  },
  36: {
    'org/bad-params': [
      'add rejects %s, names the field and sends nothing',
      'add sends %i members to the service',
    ],
    'org/client': ['returns roles, statuses, reasons and fields that are not in the contract'],
    'org/add-all': [
      'adds 1,234 members in three calls, and yields each result as it arrives',
      'reports the error of a batch after %s, and adds the others',
      'reports skipped and reactivated members',
    ],
  },
  37: {
    'org/operations': [
      'keeps the member id %s in one segment of the path',
      'remove distinguishes its three results',
    ],
    'org/member-states': [
      'a member passes through every transition (%s)',
      'an unknown member is 404 not_found, with the request id (%s)',
    ],
    'org/invite-all': [
      'invites 25 members within the limit if the service counts all invites together',
      'sends at most 10 in any minute to a service that responds %s',
    ],
  },
  38: {
    'org/operations': ['%s throws fieldErrors with the errors of each field, over both transports'],
    'org/member-states': ['fieldErrors contains the errors of the service by field'],
  },
  39: {
    'org/client': ['returns amounts unrounded', 'returns subscription null before a plan exists'],
    'org/member-states': ['the billing summary follows the roster, and its numbers are not rounded'],
  },
  45: {
    'verification/sessions': ['keeps further members of the envelope of a page of sessions'],
    'verification/responses': [
      'keeps further members of an error in details, and the response headers',
      'exposes the request id on results and errors if the header is %s',
    ],
  },
  46: {
    'contract/error-catalog': [
      'lists the 147 rows of the table and the 7 codes outside it, each with its statuses',
      'gives each code one of four actors and one of three retry values',
    ],
    'verification/documented-errors': ['code $code is thrown as the class of its status, $status'],
  },
  47: {
    'verification/documented-errors': [
      throwsErrors,
      'code $code is thrown as the class of its status, $status',
    ],
    'verification/responses': ['throws a status and a code that are not in the contract unchanged: %d %s'],
  },
  48: {
    'verification/client': [
      'sends the key as X-API-Key by default',
      "sends the key as a bearer token, and in no other header, if auth is 'bearer'",
    ],
  },
  49: {
    'org/docstrings': ['the docstring of %s, %s states the limit of the service'],
    'verification/bad-params': [rejectsParams],
    'verification/docstrings': ['the docstring of %s, %s states the limit of the service'],
    'verification/experimental': ['$name sends a burst of $frames frames'],
  },
  50: {
    'verification/client': [
      'appends /api/v2 to the base URL %s',
      'appends /api/v2 to the path of the base URL %s',
    ],
    'verification/operations-on-the-wire': [
      '%s sends the same request over undici, below the path of the base URL',
    ],
    'verification/sessions': [
      'keeps all fields of a session, including those that the contract does not list',
    ],
    'types/verification': [
      'values from the service are open: known values are listed, and one type stands for the others',
    ],
  },
}

/** Numbers whose tests have their own folder. */
const coveredByFolders: Readonly<Record<number, string>> = {
  40: 'webhooks',
  41: 'webhooks',
  42: 'webhooks',
  43: 'webhooks',
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

it('lists every number of the checklist', () => {
  const numbers = [...Object.keys(checklist), ...Object.keys(coveredByFolders)].map(Number)

  expect(numbers.sort((a, b) => a - b)).toEqual([...range(1, 43), ...range(45, 50)])
})

const claims = Object.entries(checklist).flatMap(([number, files]) =>
  Object.entries(files).flatMap(([file, titles]) => titles.map((title) => ({ number, file, title }))),
)

it.each(claims)('number $number is covered by a test in $file: $title', ({ file, title }) => {
  expect([...testTitles(`test/${file}.test.ts`)]).toContain(title)
})

it.each(Object.entries(coveredByFolders))('number %s is covered by the tests in test/%s', (_, folder) => {
  const files = readdirSync(new URL(folder, import.meta.url)).filter((file) => file.endsWith('.test.ts'))
  const titles = files.flatMap((file) => [...testTitles(`test/${folder}/${file}`)])

  expect(titles.length).toBeGreaterThan(0)
})

it('declares exactly the operations that the tests list from the contract', () => {
  const declared = verificationEndpoints.map(({ operation }) => operation)

  expect(operations.map(({ name }) => name).sort()).toEqual([...declared].sort())
  expect(new Set(declared).size).toBe(declared.length)
})

it.each(named(operations))('%s is called at its declared path', (name, { method, path, billable }) => {
  const found = findEndpoint(verificationEndpoints, method, path)

  expect(found?.endpoint.operation).toBe(name)
  expect(found?.endpoint.billable ?? false).toBe(billable)
})

it.each(named(operations))('%s is served by the emulator', async (_, operation) => {
  const emulator = createEmulator()
  const client = new VerificationClient({ ...emulator.options.verification, maxRetries: 0 })

  // These ids do not exist in the emulator. It must still route the path and accept the params.
  const outcome: unknown = await operation.call(client).catch((thrown: unknown) => thrown)

  const code = isSdkError(outcome) ? outcome.code : 'no error'
  expect(['endpoint_not_found', 'validation_error', 'invalid_params', 'invalid_response']).not.toContain(code)
})
