import type { Endpoint } from '../../contract/endpoint.ts'
import { organizationEndpoints } from '../../contract/organization/endpoints.ts'
import { apiKeyHeader, organizationHeaders } from '../../contract/service.ts'
import type { EmulatorSettings } from '../model/options/options.ts'
import { type ServiceError, serviceError } from '../model/service-error.ts'

/** One thing that is wrong with the params of a request. */
export interface FieldIssue {
  /** Such as `members.0.email`. Missing if the issue concerns the body as a whole. */
  readonly field?: string
  readonly message: string
}

/** The differences between the interfaces of the service (contract, sections 2.1 and 5). */
interface ServiceInterface {
  /** Throws a 401 unless the request carries valid credentials. */
  authenticate(settings: EmulatorSettings, headers: Headers): void
  /** Returns the error for invalid params. */
  invalid(issues: readonly FieldIssue[]): ServiceError
}

const joinIssues = (issues: readonly FieldIssue[]) =>
  issues.map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`)).join('; ')

const verificationApi: ServiceInterface = {
  authenticate({ apiKey }, headers) {
    const bearer = /^Bearer +(\S.*)$/i.exec(headers.get('authorization') ?? '')?.[1]
    if ((headers.get(apiKeyHeader) ?? bearer) !== apiKey) throw serviceError('invalid_api_key')
  },
  invalid: (issues) => serviceError('validation_error', { message: joinIssues(issues) }),
}

export const organizationApi: ServiceInterface = {
  authenticate({ org: { clientId, clientSecret } }, headers) {
    const isAuthenticated =
      headers.get(organizationHeaders.clientId) === clientId &&
      headers.get(organizationHeaders.clientSecret) === clientSecret
    if (!isAuthenticated) throw serviceError('invalid_client')
  },
  // Section 2.1 documents a map from fields, but not the type of its values. The emulator sends strings.
  invalid: (issues) =>
    serviceError('invalid_request', {
      message: joinIssues(issues),
      data: { errors: Object.fromEntries(issues.map(({ field = 'body', message }) => [field, message])) },
    }),
}

const organizationPaths = new Set<string>(organizationEndpoints.map(({ path }) => path))

export const interfaceOf = ({ path }: Endpoint): ServiceInterface =>
  organizationPaths.has(path) ? organizationApi : verificationApi
