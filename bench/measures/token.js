// What a token costs: an id_token validated, an access token met for the first time and met again.
import { byMode } from '../harness/arguments.js'
import { ownDependency, sdk } from '../harness/own.js'
import { ratioGroup, ratioOf } from '../harness/ratio-group.js'
import { writeResult } from '../harness/result.js'
import { inRounds } from '../harness/rounds.js'

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

const idToken = await signed({ nonce, auth_time: 1_767_225_600 }, 'JWT')
const accessTokens = await Promise.all(
  Array.from({ length: byMode(2_000, 6_000) }, (_, i) =>
    signed({ scope: 'openid profile', jti: `jti_${i}` }, 'at+jwt'),
  ),
)

/** @param {() => Promise<unknown>} work */
const repeated = (work) => async (/** @type {number} */ times) => {
  for (let i = 0; i < times; i++) await work()
}
const local = createLocalJWKSet(jwks)
const bare = repeated(() => jwtVerify(idToken, local, { issuer, audience: clientId, algorithms: ['RS256'] }))
const how = { rounds: byMode(21, 81), blockMs: byMode(50, 100) }
const idTokens = await inRounds(
  {
    'jose jwtVerify': bare,
    'jose jwtVerify again': bare,
    validateIdToken: repeated(() =>
      sdk.validateIdToken(idToken, { jwks, issuer, audience: clientId, nonce }),
    ),
  },
  how,
)

const oidcClient = () =>
  new sdk.OidcClient({
    baseUrl: issuer,
    clientId,
    clientSecret: 'secret_bench_0123456789',
    redirectUri: 'https://app.example.com/callback',
    fetch: async () => Response.json(jwks),
  })
const client = oidcClient()
const known = String(accessTokens[0])
await client.validateAccessToken(known)
const accesses = await inRounds(
  {
    'met for the first time': async (times) => {
      // A client that has met none, so that none of its tokens is known to it.
      const fresh = oidcClient()
      if (times >= accessTokens.length) throw new Error('more tokens are needed')
      for (let i = 1; i <= times; i++) await fresh.validateAccessToken(String(accessTokens[i]))
    },
    'met before': repeated(() => client.validateAccessToken(known)),
  },
  how,
)

writeResult('token', {
  title: 'CPU of a token',
  what: 'CPU to validate an id_token as a multiple of jwtVerify of jose, and an access token met before as a multiple of one met for the first time.',
  groups: [
    ratioGroup('id_token', idTokens, { own: ['validateIdToken'], work: 'token' }),
    ratioGroup('Access token', accesses, { own: ['met before'], work: 'token' }),
  ],
  targets: [
    {
      what: 'validateIdToken against jwtVerify of jose',
      most: 1.1,
      measured: ratioOf(idTokens, 'validateIdToken'),
      unit: 'x',
    },
    {
      what: 'validateAccessToken of a token met before, times as fast as the first time',
      least: 10,
      measured: 1 / ratioOf(accesses, 'met before'),
      unit: 'x',
    },
  ],
})
