import { documentedCodes } from '../../src/contract/documented-codes.ts'
import type { Endpoint } from '../../src/contract/endpoint.ts'
import { errorCatalog, type KnownErrorCode } from '../../src/contract/errors/catalog.ts'
import { emptyWalletStatus, meaningOfStatus } from '../../src/contract/errors/codes.ts'
import { interfacePaths, isEnvelopedPath, requestIdHeader } from '../../src/contract/service.ts'
import type { Components } from './components.ts'
import { type JsonSchema, merged } from './json-schema.ts'
import { headerName } from './names.ts'

/** The header that every response has (contract, section 2.1). */
export const responseHeaders = {
  [headerName(requestIdHeader)]: { $ref: '#/components/headers/RequestId' },
}

/** Returns the schema of a success, around its payload. */
export function successSchema({ path, envelope = 'data', unwrap }: Endpoint, payload: JsonSchema): JsonSchema {
  // A key set has no envelope, although the client also reads one that does.
  if (envelope !== 'data') return payload
  const data: JsonSchema =
    unwrap === undefined ? payload : { type: 'object', properties: { [unwrap]: payload }, required: [unwrap] }
  if (!isEnvelopedPath(path)) return { type: 'object', properties: { data }, required: ['data'] }
  return {
    type: 'object',
    properties: { success: { const: true }, data, error: { type: 'null' } },
    required: ['success', 'data', 'error'],
  }
}

/** Returns an example of a success, around an example of its payload. */
export function successExample({ path, envelope = 'data', unwrap }: Endpoint, payload: unknown): unknown {
  if (envelope !== 'data') return payload
  const data = unwrap === undefined ? payload : { [unwrap]: payload }
  return isEnvelopedPath(path) ? { success: true, data, error: null } : { data }
}

/** The forms of errors: those of the interfaces, and both where the contract does not say which one it is. */
type ErrorForm = 'verification' | 'organization' | 'signIn'

const formOf = ({ path }: Endpoint): ErrorForm =>
  path.startsWith(interfacePaths.organization)
    ? 'organization'
    : path.startsWith(interfacePaths.verification)
      ? 'verification'
      : 'signIn'

/** The contract gives this code several statuses, and for the organization API one of them (section 7). */
const statusesOf = (code: KnownErrorCode, form: ErrorForm): readonly number[] =>
  form === 'organization' && code === 'invalid_request' ? [400] : errorCatalog()[code].statuses

/** The responses of errors. Operations with the same codes share them. */
export class ErrorResponses {
  readonly #components: Components
  readonly #responses = new Map<string, object>()

  constructor(components: Components) {
    this.#components = components
  }

  get responses(): Readonly<Record<string, object>> {
    return Object.fromEntries([...this.#responses].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Returns the errors of endpoints at one path, by status. */
  of(endpoints: readonly [Endpoint, ...Endpoint[]]): Readonly<Record<string, object>> {
    const [endpoint] = endpoints
    const form = formOf(endpoint)
    const codes = [...new Set(endpoints.flatMap(documentedCodes))]
    const statuses = new Set(codes.flatMap((code) => statusesOf(code, form)))
    if (endpoint.billable) statuses.add(emptyWalletStatus)
    const byStatus = [...statuses].sort().map((status): [string, object] => {
      const ofStatus = codes.filter((code) => statusesOf(code, form).includes(status))
      return [String(status), this.#response(form, status, ofStatus)]
    })
    return {
      ...Object.fromEntries(byStatus),
      '4XX': this.#response(form, '4XX', []),
      '5XX': this.#response(form, '5XX', []),
    }
  }

  #response(form: ErrorForm, status: number | '4XX' | '5XX', codes: readonly KnownErrorCode[]): object {
    const name = [form, status, ...codes].join('.')
    if (!this.#responses.has(name)) this.#responses.set(name, this.#create(form, status, codes))
    return { $ref: `#/components/responses/${name}` }
  }

  #create(form: ErrorForm, status: number | '4XX' | '5XX', codes: readonly KnownErrorCode[]): object {
    const meanings = codes.map((code) => `- \`${code}\`: ${errorCatalog()[code].meaning}`)
    const meaning = typeof status === 'number' ? meaningOfStatus(status) : meaningsOfOthers[status]
    return {
      description: [meaning, ...(meanings.length > 0 ? ['', ...meanings] : [])].join('\n'),
      headers: responseHeaders,
      content: {
        'application/json': {
          schema: this.#schema(form, codes),
          ...(codes.length > 0 && {
            examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(form, code) }])),
          }),
        },
      },
    }
  }

  #schema(form: ErrorForm, codes: readonly KnownErrorCode[]): JsonSchema {
    this.#components.add('ErrorCode', () => errorCode)
    if (form === 'organization') return this.#enveloped('OrganizationErrorResponse', organizationError, codes)
    const enveloped = this.#enveloped('ErrorResponse', errorEnvelope, codes)
    if (form === 'verification') return enveloped
    const bare = this.#components.add('OAuthErrorResponse', () => oauthError)
    const withCodes = codes.length === 0 ? bare : merged(oauthError, { properties: { error: codeSchema(codes) } })
    return { anyOf: [withCodes, enveloped] }
  }

  #enveloped(name: string, envelope: JsonSchema, codes: readonly KnownErrorCode[]): JsonSchema {
    const reference = this.#components.add(name, () => envelope)
    if (codes.length === 0) return reference
    const details = codes.includes('already_decided') && {
      status: {
        ...this.#components.values('SessionStatus'),
        description: 'The current status of the session.',
      },
    }
    const error = { properties: { code: codeSchema(codes), ...details } }
    return merged(envelope, { properties: { error } })
  }
}

const meaningsOfOthers = {
  '4XX': 'Any other error of the request.',
  '5XX': 'The service failed. Retry with a backoff.',
}

/** Lists the documented codes. Others are possible, because the contract does not say that the lists are complete. */
const codeSchema = (codes: readonly string[]): JsonSchema => ({
  anyOf: [{ type: 'string', enum: codes }, { type: 'string' }],
})

const errorCode: JsonSchema = {
  ...codeSchema(Object.keys(errorCatalog())),
  description: 'A code of an error: one that the contract lists, or any other. Read the status for the category.',
}

const refToErrorCode = { $ref: '#/components/schemas/ErrorCode' }

const errorMembers: JsonSchema = {
  type: 'object',
  properties: {
    code: refToErrorCode,
    message: { type: 'string', description: 'For people. Not stable.' },
  },
  required: ['code', 'message'],
  description: 'The error. It may have other members.',
}

const errorEnvelope: JsonSchema = {
  type: 'object',
  properties: { success: { const: false }, data: {}, error: errorMembers },
  required: ['success', 'error'],
  description: 'An error in the envelope (contract, section 2.1).',
}

const organizationError: JsonSchema = {
  type: 'object',
  properties: {
    success: { const: false },
    data: {
      type: ['object', 'null'],
      properties: {
        errors: {
          type: 'object',
          description: 'What is wrong, by field, if validation failed. The contract does not type the values.',
        },
      },
    },
    error: errorMembers,
  },
  required: ['success', 'error'],
  description: 'An error of the organization API (contract, section 2.1).',
}

const oauthError: JsonSchema = {
  type: 'object',
  properties: {
    error: refToErrorCode,
    error_description: { type: 'string', description: 'For people. Not stable.' },
  },
  required: ['error'],
  description:
    'An error in the form of RFC 6749, section 5.2. The contract does not say whether errors of the sign-in have this form or the envelope.',
}

/** The status in the example of `already_decided`. */
const decided = { status: 'APPROVED' }

function exampleOf(form: ErrorForm, code: KnownErrorCode): unknown {
  const { meaning: message } = errorCatalog()[code]
  if (form === 'signIn') return { error: code, error_description: message }
  const error = { code, message, ...(code === 'already_decided' && decided) }
  const data = form === 'organization' && code === 'invalid_request' ? { errors: { email: 'is required' } } : null
  return { success: false, data, error }
}
