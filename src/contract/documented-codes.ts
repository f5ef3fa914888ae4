import type { Endpoint } from './endpoint.ts'
import type { KnownErrorCode } from './errors/catalog.ts'
import { commonCodes, idempotencyCodes } from './errors/codes.ts'
import { interfacePaths } from './service.ts'

/**
 * Returns every code that the contract names for an operation: its own, those of its interface and those of its key.
 */
export function documentedCodes({ errors = [], path, replay }: Endpoint): readonly KnownErrorCode[] {
  const interfaces = Object.keys(interfacePaths) as (keyof typeof interfacePaths)[]
  const shared = interfaces.flatMap((name) => (path.startsWith(`${interfacePaths[name]}/`) ? commonCodes[name] : []))
  return [...new Set([...errors, ...shared, ...(replay === 'with-key' ? idempotencyCodes : [])])]
}
