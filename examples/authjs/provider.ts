import { customFetch } from '@auth/express'
import type { OIDCConfig } from '@auth/express/providers'
import type { IdTokenClaims, OidcClient } from 'identity-service-sdk'

interface Settings {
  oidc: OidcClient
  /** The address of the service, without a trailing slash. It is the issuer of the id_tokens. */
  baseUrl: string
  clientId: string
}

/**
 * The identity service as a provider of Auth.js. Auth.js keeps state, nonce and PKCE verifier in its own cookies. The
 * package exchanges the code, because the token endpoint takes JSON, and Auth.js sends a form.
 */
export function identityService({ oidc, baseUrl, clientId }: Settings): OIDCConfig<IdTokenClaims> {
  return {
    id: 'identity',
    name: 'the identity service',
    type: 'oidc',
    issuer: baseUrl,
    clientId,
    clientSecret: 'not used', // Auth.js requires one. The client of the package has the real one.
    // With both URLs, Auth.js requests no discovery document. The service documents none.
    authorization: { url: `${baseUrl}/api/auth/oidc/authorize`, params: { scope: 'openid' } },
    token: `${baseUrl}/api/auth/oidc/token`,
    checks: ['pkce', 'state', 'nonce'],
    profile: ({ sub }) => ({ id: sub }),
    style: { logo: '' }, // By default, the page for the sign-in loads an image from authjs.dev.
    // The only request of this provider is the code exchange.
    [customFetch]: async (_url, init) => {
      const form = new URLSearchParams(init?.body as URLSearchParams)
      // Validates the id_token, including its signature. Auth.js then compares the nonce.
      const { access_token, token_type, expires_in, id_token } = await oidc.exchangeCode({
        code: form.get('code') ?? '',
        redirectUri: form.get('redirect_uri') ?? '',
        codeVerifier: form.get('code_verifier') ?? '',
      })
      return Response.json({ access_token, token_type, expires_in, id_token })
    },
  }
}
