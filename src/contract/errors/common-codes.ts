import type { Endpoint } from '../endpoint.ts'
import { interfacePaths } from '../service.ts'
import type { KnownErrorCode } from './codes.ts'

/** The codes that every operation of an interface can give (contract, sections 2.1, 5 and 7). */
export const commonCodes = {
  verification: [
    'validation_error',
    'invalid_api_key',
    'not_found',
    'unprocessable',
    'rate_limited',
    'internal_error',
  ],
  signIn: [],
  organization: ['invalid_request', 'invalid_client', 'unauthorized_client'],
} as const satisfies Readonly<Record<keyof typeof interfacePaths, readonly KnownErrorCode[]>>

/** The codes of every operation that accepts an `Idempotency-Key` (contract, section 7). */
export const idempotencyCodes = ['idempotency_in_progress', 'idempotency_key_reused'] as const

/** Returns every code that the contract names for an operation: its own, those of its interface and those of its key. */
export function documentedCodes({ errors = [], path, replay }: Endpoint): readonly KnownErrorCode[] {
  const interfaces = Object.keys(interfacePaths) as (keyof typeof interfacePaths)[]
  const shared = interfaces.flatMap((name) =>
    path.startsWith(`${interfacePaths[name]}/`) ? commonCodes[name] : [],
  )
  return [...new Set([...errors, ...shared, ...(replay === 'with-key' ? idempotencyCodes : [])])]
}
