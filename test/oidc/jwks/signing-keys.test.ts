import { expect, it } from 'vitest'
import { TokenValidationError } from '../../../src/index.ts'
import { idToken, issuer, json, key, keySet, makeKey, otherKey } from '../issuer.ts'

const weakKey = makeKey('weak', 1024)
const oddKey = makeKey('odd', 2047)

/** The key without some of its members. */
const without = (...members: string[]) =>
  Object.fromEntries(Object.entries(key.jwk).filter(([name]) => !members.includes(name)))

const against = (keys: readonly unknown[], token: string) => {
  const { client, jwks } = issuer()
  jwks.respondWith(keySet(...keys))
  return client().validateIdToken(token)
}

const withoutKid = idToken({}, { kid: undefined })
const curve = { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', kid: key.kid }
const secret = { kty: 'oct', k: 'AAAA', kid: key.kid }
const privateJwk = { ...key.privateKey.export({ format: 'jwk' }), kid: key.kid }

it.each<[what: string, keys: readonly unknown[], token?: string]>([
  ['only its key, if the token has no kid', [key.jwk], withoutKid],
  ['only its key, without a kid', [without('kid')]],
  ['a key without alg and use', [without('alg', 'use')]],
  ['a key for verifying', [{ ...key.jwk, key_ops: ['verify'] }]],
  ['a key with a certificate', [{ ...key.jwk, x5c: ['AAAA'], x5t: 'AAAA' }]],
  ['null and other invalid entries', [null, 7, 'key', [], {}, key.jwk]],
  ['keys of other types under its kid', [curve, secret, key.jwk]],
  ['a broken key under its kid', [{ ...key.jwk, e: 'AA' }, { ...key.jwk, n: '!!' }, key.jwk]],
  [
    'keys whose members are not strings',
    [{ ...key.jwk, n: 7 }, { ...key.jwk, e: 7 }, { ...key.jwk, kid: {} }, key.jwk],
  ],
  ['a key of zeros under its kid', [{ ...key.jwk, n: 'AAAA' }, key.jwk]],
  ['another key under its kid', [{ ...otherKey.jwk, kid: key.kid }, key.jwk]],
  ['its key after 255 others under its kid', [...others(255), key.jwk]],
  ['a key with a modulus of 400,000 digits', [{ ...key.jwk, n: '_'.repeat(400_000) }, key.jwk]],
  ['a key with an exponent of 400,000 digits', [{ ...key.jwk, e: '_'.repeat(400_000) }, key.jwk]],
  ['a weak key too, if the token has no kid', [weakKey.jwk, key.jwk], withoutKid],
  ['unusable keys too, if the token has no kid', [curve, null, privateJwk, key.jwk], withoutKid],
])('accepts a token if the key set has %s', async (_, keys, token = idToken()) => {
  await expect(against(keys, token)).resolves.toMatchObject({ sub: 'user_1' })
})

it.each<[what: string, keys: readonly unknown[], reason: string, token?: string]>([
  ['no key', [], 'key_not_found'],
  ['two keys, if the token has no kid', [key.jwk, otherKey.jwk], 'key_not_found', withoutKid],
  ['two keys without a kid', [without('kid'), { ...otherKey.jwk, kid: undefined }], 'key_not_found'],
  ['its key with private members', [privateJwk], 'key_not_found'],
  ['its key with one private member', [{ ...key.jwk, d: 'AAAA' }], 'key_not_found'],
  ['its key with another kty', [{ ...key.jwk, kty: 'EC' }], 'key_not_found'],
  ['its key with a symmetric member', [{ ...key.jwk, k: 'AAAA' }], 'key_not_found'],
  ['its key for encryption', [{ ...key.jwk, use: 'enc' }], 'key_not_found'],
  ['its key for another alg', [{ ...key.jwk, alg: 'PS256' }], 'key_not_found'],
  ['its key only for signing', [{ ...key.jwk, key_ops: ['sign'] }], 'key_not_found'],
  ['its key with a kid that is not a string', [{ ...key.jwk, kid: 7 }], 'key_not_found'],
  ['its key with padding', [{ ...key.jwk, n: `${key.jwk.n}=` }], 'key_not_found'],
  ['another key under its kid', [{ ...otherKey.jwk, kid: key.kid }], 'signature_mismatch'],
  ['its key after 256 others under its kid', [...others(256), key.jwk], 'signature_mismatch'],
  ['another key without a kid', [{ ...otherKey.jwk, kid: undefined }], 'signature_mismatch'],
  ['a key of 1024 bits', [weakKey.jwk], 'weak_key', idToken({}, {}, weakKey)],
  ['a key of 2047 bits', [oddKey.jwk], 'weak_key', idToken({}, {}, oddKey)],
  [
    'a key of 1024 bits padded with zeros',
    [{ ...weakKey.jwk, n: zeroFilled(String(weakKey.jwk.n)) }],
    'weak_key',
    idToken({}, {}, weakKey),
  ],
])('rejects a token if the key set has %s', async (_, keys, reason, token = idToken()) => {
  const error: unknown = await against(keys, token).catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(TokenValidationError)
  expect(error).toMatchObject({ reason, message: expect.stringMatching(/key/) })
})

function others(count: number): readonly object[] {
  return Array(count).fill({ ...otherKey.jwk, kid: key.kid })
}

function zeroFilled(n: string): string {
  return Buffer.concat([Buffer.alloc(128), Buffer.from(n, 'base64url')]).toString('base64url')
}

it('accepts a key set inside the envelope', async () => {
  const { client, jwks } = issuer()
  jwks.respondWith(json({ success: true, data: { keys: [key.jwk] }, error: null }))

  await expect(client().validateIdToken(idToken())).resolves.toMatchObject({ sub: 'user_1' })
})
