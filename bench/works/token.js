import { ownDependency, sdk } from '../own.js'

const { SignJWT, createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } = await ownDependency('jose')
const issuer = 'https://id.example.com'
const clientId = 'client_bench'
const nonce = 'nonce_bench'
const { privateKey, publicKey } = await generateKeyPair('RS256')
const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'key_1', alg: 'RS256', use: 'sig' }] }

/**
 * @param {Record<string, unknown>} claims
 * @param {string} typ
 * @returns {Promise<string>}
 */
const signed = (claims, typ) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'key_1', typ })
    .setIssuer(issuer)
    .setAudience(clientId)
    .setSubject('user_42')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey)

const oidcClient = () =>
  new sdk.OidcClient({
    baseUrl: issuer,
    clientId,
    clientSecret: 'secret_bench_0123456789',
    redirectUri: 'https://app.example.com/callback',
    fetch: async () => Response.json(jwks),
  })
const idToken = await signed({ nonce, auth_time: 1_767_225_600 }, 'JWT')
const expected = { issuer, audience: clientId, nonce }
const accessToken = (/** @type {number} */ i) => signed({ scope: 'openid profile', jti: `jti_${i}` }, 'at+jwt')

const bare = async () => {
  const local = createLocalJWKSet(jwks)
  return () => jwtVerify(idToken, local, { issuer, audience: clientId, algorithms: ['RS256'] })
}

/** @type {Record<string, () => Promise<() => unknown>>} */
const idTokens = {
  'jose jwtVerify': bare,
  'jose jwtVerify (control)': bare,
  'validateIdToken of a client': async () => {
    const client = oidcClient()
    return () => client.validateIdToken(idToken, { nonce })
  },
  'validateIdToken, key set object': async () => () => sdk.validateIdToken(idToken, { jwks, ...expected }),
  // A caller who reads the key set for each token passes a new object each time.
  'validateIdToken, new key set object each time': async () => () => {
    const keys = jwks.keys.map((key) => ({ ...key }))
    return sdk.validateIdToken(idToken, { jwks: { keys }, ...expected })
  },
}

/** @type {Record<string, () => Promise<() => unknown>>} */
const accessTokens = {
  'first validation': async () => {
    const tokens = await Promise.all(Array.from({ length: 500 }, (_, i) => accessToken(i)))
    let client = oidcClient()
    let next = 0
    return () => {
      // A new client has cached none of the tokens.
      if (next === tokens.length) [client, next] = [oidcClient(), 0]
      return client.validateAccessToken(String(tokens[next++]))
    }
  },
  'cached token': async () => {
    const client = oidcClient()
    const token = await accessToken(0)
    await client.validateAccessToken(token)
    return () => client.validateAccessToken(token)
  },
}

/** @param {string} kind `id_token` or `access token` */
export const works = (kind) => (kind === 'id_token' ? idTokens : accessTokens)
