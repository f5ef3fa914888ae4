import { createHash } from 'node:crypto'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { genericOAuth } from 'better-auth/plugins'
import { isSdkError, type OidcClient } from 'identity-service-sdk'

interface Settings {
  oidc: OidcClient
  baseUrl: string
  clientId: string
  publicUrl: string
  secret: string
  database: NonNullable<BetterAuthOptions['database']>
}

/** Better Auth with the identity service as its only provider. It keeps users and sessions in the database. */
export function createAuth({ oidc, baseUrl, clientId, publicUrl, secret, database }: Settings) {
  const identity = genericOAuth({
    config: [
      {
        providerId: 'identity',
        clientId,
        // The service documents no discovery.
        authorizationUrl: `${baseUrl}/api/auth/oidc/authorize`,
        scopes: ['openid'],
        // The package exchanges the code, because the token endpoint takes JSON, and Better Auth sends a form. Better
        // Auth binds the code to the browser with its state and PKCE verifier. It has no nonce without discovery.
        async getToken({ code, redirectURI, codeVerifier }) {
          const { id_token } = await oidc.exchangeCode({ code, redirectUri: redirectURI, codeVerifier })
          return { idToken: id_token }
        },
        async getUserInfo({ idToken = '' }) {
          const { sub } = await oidc.validateIdToken(idToken)
          return { id: sub, emailVerified: false }
        },
        // Better Auth requires an email address for each person, and the claims contain none.
        mapProfileToUser: ({ id }) => ({ email: placeholder(String(id)), name: '' }),
      },
    ],
  })
  return betterAuth({
    baseURL: publicUrl,
    secret,
    database,
    plugins: [identity],
    // Nobody gets the account of another person because the addresses are equal.
    account: { accountLinking: { enabled: false } },
    session: { expiresIn: 8 * 3600 },
    onAPIError: { errorURL: `${publicUrl}/not-signed-in` },
    logger: { log: (level, message, ...details) => logProblem(level, message, details) },
  })
}

// No mail can be delivered below .invalid. A hash is as unique as `sub`, also in lower case.
const placeholder = (sub: string) => `${createHash('sha256').update(sub).digest('hex')}@identity.invalid`

// Errors of this package contain no secrets and no personal data. Give their requestId to the service's support.
function logProblem(level: string, message: string, details: unknown[]) {
  console.error(JSON.stringify({ level, message, error: details.find(isSdkError) }))
}
