import type { RecordedRequest } from '../state/request-log.ts'

/** Secrets in a form. */
const inForms =
  /(^|&)(client_secret|refresh_token|access_token|id_token|session_token|code|code_verifier|password|token)=[^&]*/g
/** Secrets in JSON. */
const inJson =
  /"(client_secret|refresh_token|access_token|id_token|session_token|code|code_verifier|password|token)"(\s*:\s*)"(?:[^"\\]|\\.)*"/g

/** Returns the body of a request with the values of secret fields masked. Nothing if the request has no text body. */
export const maskBody = ({ body }: RecordedRequest): { readonly body?: string } =>
  body === undefined
    ? {}
    : { body: body.replaceAll(inForms, '$1$2=[masked]').replaceAll(inJson, '"$1"$2"[masked]"') }
