import type { RecordedRequest } from '../state/request-log.ts'

/** Fields of forms and of JSON that are secrets. */
const secretFields =
  'client_secret|refresh_token|access_token|id_token|session_token|code|code_verifier|password|token'

const inForms = new RegExp(`(^|&)(${secretFields})=[^&]*`, 'g')
const inJson = new RegExp(`"(${secretFields})"(\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'g')

/** Returns the body of a request with the values of secret fields masked. Nothing if the request has no text body. */
export const maskBody = ({ body }: RecordedRequest): { readonly body?: string } =>
  body === undefined
    ? {}
    : { body: body.replaceAll(inForms, '$1$2=[masked]').replaceAll(inJson, '"$1"$2"[masked]"') }
