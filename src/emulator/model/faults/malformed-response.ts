import type { EmulatorResponse } from '../response.ts'

/** A kind of response that the service never sends. */
export type Malformation = 'not_json' | 'truncated' | 'empty' | 'wrong_shape'

const json = { 'content-type': 'application/json' }

const responses: Readonly<Record<Malformation, Omit<EmulatorResponse, 'status'>>> = {
  not_json: {
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><title>Proxy</title><h1>This page comes from a proxy</h1>',
  },
  truncated: { headers: json, body: '{"success":true,"data":{"session_id":"se' },
  empty: { headers: json, body: '' },
  wrong_shape: { headers: json, body: '{"success":true,"data":{"unexpected":true},"error":null}' },
}

export const malformations = Object.keys(responses) as readonly Malformation[]

export function malformedResponse(
  kind: Malformation,
  status: number,
  headers: EmulatorResponse['headers'] = {},
): EmulatorResponse {
  const { body, headers: ownHeaders } = responses[kind]
  return { status, headers: { ...ownHeaders, ...headers }, body }
}

/** Thrown to send this response instead of the one of the service. */
export class ScriptedResponse extends Error {
  readonly response: EmulatorResponse

  constructor(response: EmulatorResponse) {
    super('a fault replaced the response')
    this.response = response
  }
}
