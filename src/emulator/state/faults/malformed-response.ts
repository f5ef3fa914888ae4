import type { EmulatorResponse } from '../../server/response.ts'

/** How an answer can be none of the service. */
export type Malformation = 'not_json' | 'truncated' | 'empty' | 'wrong_shape'

const json = { 'content-type': 'application/json' }

const answers: Readonly<Record<Malformation, Omit<EmulatorResponse, 'status'>>> = {
  not_json: {
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><title>Proxy</title><h1>Something else answered</h1>',
  },
  truncated: { headers: json, body: '{"success":true,"data":{"session_id":"se' },
  empty: { headers: json, body: '' },
  wrong_shape: { headers: json, body: '{"success":true,"data":{"unexpected":true},"error":null}' },
}

export const malformations = Object.keys(answers) as readonly Malformation[]

export function malformedResponse(
  kind: Malformation,
  status: number,
  headers: EmulatorResponse['headers'] = {},
): EmulatorResponse {
  const { body, headers: own } = answers[kind]
  return { status, headers: { ...own, ...headers }, body }
}

/** What goes back in place of what the service would have said. */
export class ScriptedResponse extends Error {
  readonly response: EmulatorResponse

  constructor(answer: EmulatorResponse) {
    super('the answer was replaced on purpose')
    this.response = answer
  }
}
