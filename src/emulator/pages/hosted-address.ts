import type { HostedSession } from '../state/sessions/hosted-session.ts'

/** Where hosted pages live (contract, section 2.2); in the notation of the endpoint declarations. */
export const hostedPath = '/s/{path}'

export const hostedAddress = ({ path }: HostedSession, origin: string) =>
  origin + hostedPath.replace('{path}', path)
