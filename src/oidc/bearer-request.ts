import type { Endpoint } from '../contract/endpoint.ts'
import { legacyEndpoints } from '../contract/sign-in/legacy.ts'
import { exchangeCode, readKeys } from '../contract/sign-in/oidc.ts'
import { invalidParam } from '../errors/call-errors.ts'
import { type ApiPromise, CallPromise } from '../http/exchange/api-promise.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { RequestOptions } from '../http/params/options.ts'
import { type RawBearerRequest, rawRequest } from '../http/raw-request.ts'

const operation = 'oidc.request'
const declared: readonly Endpoint[] = /* @__PURE__ */ [[readKeys], legacyEndpoints].flat()

/**
 * Sends a request with an access token. The token endpoint is excluded, because it takes the client's credentials,
 * which are never sent next to an access token, and because its requests must not be retried.
 */
export function bearerRequest<T>(
  http: HttpClient,
  request: RawBearerRequest,
  options: RequestOptions | undefined,
): ApiPromise<T> {
  if (request?.path !== exchangeCode.path) return rawRequest<T>(http, { operation, declared }, request, options)
  const message = 'must not be the token endpoint, which accepts no access token: call exchangeCode or refresh'
  return new CallPromise<T>(Promise.reject(invalidParam(operation, 'path', message)))
}
