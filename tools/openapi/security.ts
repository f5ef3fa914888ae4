import type { Endpoint } from '../../src/contract/endpoint.ts'
import type { Operations } from '../../src/contract/operations.ts'
import { apiKeyHeader, interfacePaths, organizationHeaders } from '../../src/contract/service.ts'
import { authorize, exchangeCode, requiredScope, scopes } from '../../src/contract/sign-in/oidc.ts'
import { headerName } from './names.ts'

type Requirement = Readonly<Record<string, readonly string[]>>

/** Returns the security schemes (contract, section 5). */
export const securitySchemes = (baseUrl: string) => ({
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: headerName(apiKeyHeader),
    description: 'The API key of the application. Server side only.',
  },
  apiKeyBearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The API key of the application, as a bearer token. Server side only.',
  },
  organizationClientId: {
    type: 'apiKey',
    in: 'header',
    name: headerName(organizationHeaders.clientId),
    description: 'The client id of the application of the organization. Server side only.',
  },
  organizationClientSecret: {
    type: 'apiKey',
    in: 'header',
    name: headerName(organizationHeaders.clientSecret),
    description: 'The client secret of the application of the organization. Server side only.',
  },
  accessToken: {
    type: 'oauth2',
    description: `The access token of a person, as a bearer token. It needs the scope \`${requiredScope}\`.`,
    flows: {
      authorizationCode: {
        authorizationUrl: baseUrl + authorize.path,
        tokenUrl: baseUrl + exchangeCode.path,
        refreshUrl: baseUrl + exchangeCode.path,
        scopes: Object.fromEntries(scopes.map((scope) => [scope, scopeDescriptions[scope]])),
      },
    },
  },
  clientBasic: { type: 'http', scheme: 'basic', description: 'The client credentials in HTTP Basic.' },
})

const notDescribed = 'The contract does not describe it.'
const scopeDescriptions: Readonly<Record<(typeof scopes)[number], string>> = {
  openid: 'Every sign-in must include it.',
  profile: 'The legacy user info needs it.',
  verifications: 'The legacy verifications need it.',
  zkp: notDescribed,
}

/** Operations that do not have the credentials of their interface. The token endpoints have them in the body. */
const ownSecurity: { readonly [Operation in keyof Operations]?: readonly Requirement[] } = {
  'oidc.legacy.userinfo': [{ accessToken: ['profile'] }],
  'oidc.legacy.licenses': [{ accessToken: [] }],
  'oidc.legacy.verifications': [{ accessToken: ['verifications'] }],
  // Its credentials are in the body, unless they are in HTTP Basic.
  'oidc.legacy.refresh': [{}, { clientBasic: [] }],
}

/** Returns the credentials that an operation accepts (contract, section 5). */
export function securityOf({ operation, path }: Endpoint): readonly Requirement[] {
  const own: readonly Requirement[] | undefined = ownSecurity[operation as keyof Operations]
  if (own) return own
  if (path.startsWith(interfacePaths.verification)) return [{ apiKey: [] }, { apiKeyBearer: [] }]
  if (path.startsWith(interfacePaths.organization)) return [{ organizationClientId: [], organizationClientSecret: [] }]
  return []
}
