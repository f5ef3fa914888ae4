import { createHmac, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { beforeEach, expect, it, vi } from 'vitest'
import { TokenValidationError, type TokenValidationReason, validateIdToken } from '../../../src/index.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { baseUrl, clientId, idToken, key, otherKey } from '../issuer.ts'

// Texts of the RFCs: cspell:ignoreRegExp /[\w.-]{16,}/

/** The claims of the examples expire on 2011-03-22 at 18:43 UTC. */
const expiry = 1_300_819_380

beforeEach(() => {
  vi.useFakeTimers({ now: (expiry - 60) * 1000, toFake: ['Date', 'performance'] })
  return () => vi.useRealTimers()
})

/** `{"iss":"joe", "exp":1300819380, "http://example.com/is_root":true}` with line breaks. */
const claims = 'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ'

/** RFC 7515, A.1, and RFC 7519, 3.1. */
const hs256 = `eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.${claims}.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk`
const symmetric = {
  kty: 'oct',
  k: 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
}

/** RFC 7515, A.2. */
const rs256 = `eyJhbGciOiJSUzI1NiJ9.${claims}.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw`
const rsa = {
  kty: 'RSA',
  n: 'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ',
  e: 'AQAB',
}

/** RFC 7515, A.3. */
const es256 = `eyJhbGciOiJFUzI1NiJ9.${claims}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q`
const p256 = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
}

/** RFC 7515, A.4. Its payload is the text `Payload`. */
const es512 =
  'eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn'
const p521 = {
  kty: 'EC',
  crv: 'P-521',
  x: 'AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk',
  y: 'ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2',
}

/** RFC 7515, A.5, and RFC 7519, 6.1. */
const none = `eyJhbGciOiJub25lIn0.${claims}.`

/** RFC 7515, A.6 and A.7: the JSON serializations. */
const general = JSON.stringify({
  payload: claims,
  signatures: [{ protected: 'eyJhbGciOiJSUzI1NiJ9', header: { kid: '2010-12-29' }, signature: rs256.split('.')[2] }],
})
const flattened = JSON.stringify({
  payload: claims,
  protected: 'eyJhbGciOiJFUzI1NiJ9',
  header: { kid: 'e9bc097a-ce51-4036-9562-d2ade882db0d' },
  signature: es256.split('.')[2],
})

/** RFC 7515, E: a header with an extension that is unknown, and must be understood. */
const critical =
  'eyJhbGciOiJub25lIiwNCiAiY3JpdCI6WyJodHRwOi8vZXhhbXBsZS5jb20vVU5ERUZJTkVEIl0sDQogImh0dHA6Ly9leGFtcGxlLmNvbS9VTkRFRklORUQiOnRydWUNCn0.RkFJTA.'

/** RFC 7797, 4.1 and 4.2. The payload `$.02` is detached in the second one. */
const control = 'eyJhbGciOiJIUzI1NiJ9.JC4wMg.5mvfOroL-g7HyqJoozehmsaqmvTYGEq5jTI1gVvoEoQ'
const unencoded = 'eyJhbGciOiJIUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19'
const detached = `${unencoded}..A5dxf2s96_n5FLueVuW1Z_vh161FwXZC4YLPff6dmDY`

const validate = (token: string, ...keys: object[]) =>
  validateIdToken(token, { jwks: { keys }, issuer: 'joe', audience: 'client' })

it.each<[what: string, token: string, key: object, reason: TokenValidationReason, claim?: string]>([
  ['RFC 7515 A.1 and RFC 7519 3.1 (HS256)', hs256, symmetric, 'unsupported_algorithm', 'alg'],
  // Its signature is valid. It is not an id_token, because it has no subject.
  ['RFC 7515 A.2 (RS256)', rs256, rsa, 'missing_claim', 'sub'],
  ['RFC 7515 A.3 (ES256)', es256, p256, 'unsupported_algorithm', 'alg'],
  ['RFC 7515 A.4 (ES512)', es512, p521, 'malformed'],
  ['RFC 7515 A.5 and RFC 7519 6.1 (none)', none, rsa, 'unsupported_algorithm', 'alg'],
  ['RFC 7515 A.6 (general JSON serialization)', general, rsa, 'malformed'],
  ['RFC 7515 A.7 (flattened JSON serialization)', flattened, p256, 'malformed'],
  ['RFC 7515 E (crit)', critical, rsa, 'malformed'],
  ['RFC 7797 4.1 (encoded payload)', control, symmetric, 'malformed'],
  ['RFC 7797 4.2 (detached, unencoded payload)', detached, symmetric, 'malformed'],
  ['RFC 7797 4.2 (unencoded payload)', detached.replace('..', '.$.02.'), symmetric, 'malformed'],
  ['A.1, whose MAC is a signature of the set', `eyJhbGciOiJSUzI1NiJ9${hs256.slice(40)}`, rsa, 'signature_mismatch'],
  ['A.2 with another key', rs256, key.jwk, 'signature_mismatch'],
  ['A.2 without a key', rs256, symmetric, 'key_not_found', 'kid'],
])('rejects the example of %s', async (_, token, jwk, reason, claim) => {
  const error = await thrownBy(validate(token, jwk))

  expect(error).toBeInstanceOf(TokenValidationError)
  expect(error).toMatchObject({ code: 'token_refused', reason })
  expect((error as TokenValidationError).claim).toBe(claim)
})

it('the signatures of the examples are valid, so each is rejected for its reason only', () => {
  const split = (token: string): [input: string, signature: Buffer] => {
    const [header, payload, signature = ''] = token.split('.')
    return [`${header}.${payload}`, Buffer.from(signature, 'base64url')]
  }
  const isSigned = (token: string, jwk: JsonWebKey, hash: string) => {
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
    const [input, signature] = split(token)
    return verify(hash, Buffer.from(input), { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)
  }
  const macOf = (input: string) => createHmac('sha256', Buffer.from(symmetric.k, 'base64url')).update(input).digest()

  expect(isSigned(rs256, rsa, 'sha256')).toBe(true)
  expect(isSigned(es256, p256, 'sha256')).toBe(true)
  expect(isSigned(es512, p521, 'sha512')).toBe(true)
  for (const token of [hs256, control]) expect(macOf(split(token)[0])).toEqual(split(token)[1])
  expect(macOf(`${unencoded}.$.02`)).toEqual(split(detached)[1])
})

it.each<[member: string, value: unknown]>([
  ['jwk', otherKey.jwk],
  ['jku', 'https://other.example/jwks.json'],
  ['x5c', ['AAAA']],
  ['x5u', 'https://other.example/key.pem'],
])('does not look at the key that the header offers as %s (RFC 7515, 4.1)', async (member, value) => {
  const fetched: string[] = []
  const fetch: typeof globalThis.fetch = async (input) => {
    fetched.push(new Request(input).url)
    return Response.json({ keys: [otherKey.jwk] })
  }
  const token = idToken({}, { [member]: value, kid: undefined }, otherKey)
  const expected = { jwks: 'https://id.example.test/jwks.json', issuer: baseUrl, audience: clientId, fetch }

  await expect(validateIdToken(token, expected)).rejects.toMatchObject({
    reason: 'forbidden_header',
    claim: member,
  })
  expect(fetched).toEqual([])
})
