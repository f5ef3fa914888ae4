import { emulatorHeader } from '../../runtime/environment.ts'
import type { ServiceError } from './service-error.ts'

/** A response without the headers that every response has. It can be stored and sent again. */
export interface EmulatorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sent with every response, to mark that nothing was verified. */
export const emulatorHeaders = { [emulatorHeader]: '1' } as const

const json = { 'content-type': 'application/json' }

export function successResponse(data: unknown, status = 200): EmulatorResponse {
  return { status, headers: json, body: JSON.stringify({ success: true, data, error: null }) }
}

export function errorResponse({ facts }: ServiceError): EmulatorResponse {
  const error = { code: facts.code, message: facts.message, ...facts.details }
  return {
    status: facts.status,
    headers: { ...json, ...facts.headers },
    body: JSON.stringify({ success: false, data: facts.data ?? null, error }),
  }
}
