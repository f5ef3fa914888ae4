import type { Refusal } from './service-error.ts'

/** What goes back, before the headers that every response has: it can be kept and given again. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** On every response: nothing that the emulator says was verified. */
export const emulatorHeaders = { 'x-emulator': '1' } as const

const json = { 'content-type': 'application/json' }

export function success(data: unknown, status = 200): Answer {
  return { status, headers: json, body: JSON.stringify({ success: true, data, error: null }) }
}

export function failure({ facts }: Refusal): Answer {
  const error = { code: facts.code, message: facts.message, ...facts.details }
  return {
    status: facts.status,
    headers: { ...json, ...facts.headers },
    body: JSON.stringify({ success: false, data: facts.data ?? null, error }),
  }
}
