import type { Endpoint } from '../contract/endpoint.ts'
import { ApiPromise } from './api-promise.ts'
import type { HttpClient } from './http-client.ts'
import { Late } from './late.ts'
import type { RawRequest } from './raw-target.ts'
import type { RequestOptions } from './request-options.ts'

const operation = 'request'
const targets = new Late(() => import('./raw-target.ts'))

/**
 * Sends to any path. One that the contract declares is that operation, charges and retries included; another
 * is repeated only where that is safe whatever it does.
 */
export const rawRequest = <T>(
  http: HttpClient,
  declared: readonly Endpoint[],
  request: RawRequest,
  options: RequestOptions | undefined,
): ApiPromise<T> =>
  new ApiPromise(
    targets.for(operation).then(({ targetOf }) => {
      const { endpoint, given } = targetOf(declared, request, operation)
      const sent = http.send(endpoint, given, { encoding: 'json', ...options }) as ApiPromise<T>
      return sent.withResponse()
    }),
  )
