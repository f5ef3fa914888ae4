import type { Endpoint } from '../../contract/endpoint.ts'
import { organizationEndpoints } from '../../contract/organization/endpoints.ts'
import { apiKeyHeader, organizationHeaders } from '../../contract/service.ts'
import type { Settings } from '../options/options.ts'
import { type ServiceError, serviceError } from './service-error.ts'

/** One thing that is wrong with a request. */
export interface ParamIssue {
  /** Such as `members.0.email`; missing where it is the body as a whole. */
  readonly field?: string
  readonly message: string
}

/** What differs between the interfaces of the service (contract, sections 2.1 and 5). */
interface ServiceInterface {
  /** Throws 401 unless the caller is known. */
  authenticate(settings: Settings, headers: Headers): void
  /** The refusal of params that are not as documented. */
  invalid(faults: readonly ParamIssue[]): ServiceError
}

const sentence = (faults: readonly ParamIssue[]) =>
  faults.map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`)).join('; ')

const verificationApi: ServiceInterface = {
  authenticate({ apiKey }, headers) {
    const bearer = /^Bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1]
    if ((headers.get(apiKeyHeader) ?? bearer) !== apiKey) throw serviceError('invalid_api_key')
  },
  invalid: (faults) => serviceError('validation_error', { message: sentence(faults) }),
}

export const organizationApi: ServiceInterface = {
  authenticate({ organization: { clientId, clientSecret } }, headers) {
    const isKnown =
      headers.get(organizationHeaders.clientId) === clientId &&
      headers.get(organizationHeaders.clientSecret) === clientSecret
    if (!isKnown) throw serviceError('invalid_client')
  },
  // Section 2.1 shows a map of fields, and not what it maps them to: a text each.
  invalid: (faults) =>
    serviceError('invalid_request', {
      message: sentence(faults),
      data: { errors: Object.fromEntries(faults.map(({ field = 'body', message }) => [field, message])) },
    }),
}

const organizationPaths = new Set(organizationEndpoints.map(({ path }) => path))

export const interfaceOf = ({ path }: Endpoint): ServiceInterface =>
  organizationPaths.has(path) ? organizationApi : verificationApi
