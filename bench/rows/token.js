import { ownDependency, sdk } from '../harness/own.js'
import { sequential } from '../harness/sequential.js'

const { SignJWT, createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } = await ownDependency('jose')
const issuer = 'https://id.example.com'
const clientId = 'client_bench'
const nonce = 'nonce_bench'
const { privateKey, publicKey } = await generateKeyPair('RS256')
const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'key_1', alg: 'RS256', use: 'sig' }] }

/**
 * @param {Record<string, unknown>} claims
 * @param {string} typ
 */
const signed = (claims, typ) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'key_1', typ })
    .setIssuer(issuer)
    .setAudience(clientId)
    .setSubject('user_42')
    .setIssuedAt()
    .setExpirationTime('15m')
    .sign(privateKey)

const oidcClient = () =>
  new sdk.OidcClient({
    baseUrl: issuer,
    clientId,
    clientSecret: 'secret_bench_0123456789',
    redirectUri: 'https://app.example.com/callback',
    fetch: async () => Response.json(jwks),
  })
const idToken = () => signed({ nonce, auth_time: 1_767_225_600 }, 'JWT')
const accessToken = (/** @type {number} */ i) =>
  signed({ scope: 'openid profile', jti: `jti_${i}` }, 'at+jwt')

const bare = async () => {
  const token = await idToken()
  const local = createLocalJWKSet(jwks)
  return sequential(() => jwtVerify(token, local, { issuer, audience: clientId, algorithms: ['RS256'] }))
}

const alone = async (/** @type {() => { keys: object[] }} */ keySet) => {
  const token = await idToken()
  const expected = { issuer, audience: clientId, nonce }
  return sequential(() => sdk.validateIdToken(token, { jwks: keySet(), ...expected }))
}

/** @returns {Record<string, () => Promise<import('../harness/rounds.js').Row>>} */
export const rows = () => ({
  'jose jwtVerify': bare,
  'jose jwtVerify (control)': bare,
  'validateIdToken of a client': async () => {
    const client = oidcClient()
    const token = await idToken()
    return sequential(() => client.validateIdToken(token, { nonce }))
  },
  'validateIdToken, key set object': () => alone(() => jwks),
  // A caller who reads the key set for each token passes a new object each time.
  'validateIdToken, new key set object each time': () =>
    alone(() => ({ keys: jwks.keys.map((key) => ({ ...key })) })),
  'first validation': async () => {
    const tokens = await Promise.all(Array.from({ length: 3_000 }, (_, i) => accessToken(i)))
    return async (times) => {
      // A new client, which has cached none of the tokens.
      const client = oidcClient()
      if (times > tokens.length) throw new Error('more tokens are needed')
      for (const token of tokens.slice(0, times)) await client.validateAccessToken(token)
    }
  },
  'cached token': async () => {
    const client = oidcClient()
    const token = await accessToken(0)
    await client.validateAccessToken(token)
    return sequential(() => client.validateAccessToken(token))
  },
})
