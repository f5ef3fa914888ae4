import type { ErrorActor, ErrorAdvice } from '../contract/errors/catalog.ts'

const afterChange: Readonly<Record<ErrorActor, string>> = {
  caller: 'Correct the call.',
  end_user: 'The person must act first.',
  operator: 'The operator of the account must act first.',
  wait: 'Call again later.',
}

/** Says what to do next, as the last sentence of a message. */
export function nextStep({ actor, retry }: ErrorAdvice): string {
  if (retry !== 'never') return afterChange[actor]
  return actor === 'end_user' ? 'The person must start again.' : 'The same call cannot succeed.'
}
