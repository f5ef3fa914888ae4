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
  jwks.answers(keySet(...keys))
  return client().validateIdToken(token)
}

const unnamed = idToken({}, { kid: undefined })
const curve = { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', kid: key.kid }
const secret = { kty: 'oct', k: 'AAAA', kid: key.kid }
const privateJwk = { ...key.privateKey.export({ format: 'jwk' }), kid: key.kid }

it.each<[what: string, keys: readonly unknown[], token?: string]>([
  ['its only key, the token naming none', [key.jwk], unnamed],
  ['its only key, which has no name', [without('kid')]],
  ['a key without alg and use', [without('alg', 'use')]],
  ['a key for verifying', [{ ...key.jwk, key_ops: ['verify'] }]],
  ['a key with a certificate', [{ ...key.jwk, x5c: ['AAAA'], x5t: 'AAAA' }]],
  ['null entries and other rubbish', [null, 7, 'key', [], {}, key.jwk]],
  ['keys of other kinds under its name', [curve, secret, key.jwk]],
  ['a broken key under its name', [{ ...key.jwk, e: 'AA' }, { ...key.jwk, n: '!!' }, key.jwk]],
  [
    'members that are no text',
    [{ ...key.jwk, n: 7 }, { ...key.jwk, e: 7 }, { ...key.jwk, kid: {} }, key.jwk],
  ],
  ['a key of zeros under its name', [{ ...key.jwk, n: 'AAAA' }, key.jwk]],
  ['another key under its name', [{ ...otherKey.jwk, kid: key.kid }, key.jwk]],
  ['a weak key beside it, the token naming none', [weakKey.jwk, key.jwk], unnamed],
  ['unusable neighbours, the token naming none', [curve, null, privateJwk, key.jwk], unnamed],
])('finds the key in a set with %s', async (_, keys, token = idToken()) => {
  await expect(against(keys, token)).resolves.toMatchObject({ sub: 'user_1' })
})

it.each<[what: string, keys: readonly unknown[], reason: string, token?: string]>([
  ['no key', [], 'key_not_found'],
  ['two keys, the token naming none', [key.jwk, otherKey.jwk], 'key_not_found', unnamed],
  ['two keys without names', [without('kid'), { ...otherKey.jwk, kid: undefined }], 'key_not_found'],
  ['its key, which publishes private members', [privateJwk], 'key_not_found'],
  ['its key, one private member of it', [{ ...key.jwk, d: 'AAAA' }], 'key_not_found'],
  ['its key as another kind', [{ ...key.jwk, kty: 'EC' }], 'key_not_found'],
  ['its key as a symmetric one', [{ ...key.jwk, k: 'AAAA' }], 'key_not_found'],
  ['its key, meant for encryption', [{ ...key.jwk, use: 'enc' }], 'key_not_found'],
  ['its key, meant for another alg', [{ ...key.jwk, alg: 'PS256' }], 'key_not_found'],
  ['its key, meant for signing alone', [{ ...key.jwk, key_ops: ['sign'] }], 'key_not_found'],
  ['its key under a name that is no string', [{ ...key.jwk, kid: 7 }], 'key_not_found'],
  ['its key with padding', [{ ...key.jwk, n: `${key.jwk.n}=` }], 'key_not_found'],
  ['another key under its name', [{ ...otherKey.jwk, kid: key.kid }], 'signature_mismatch'],
  ['another key without a name', [{ ...otherKey.jwk, kid: undefined }], 'signature_mismatch'],
  ['a key of 1024 bits', [weakKey.jwk], 'weak_key', idToken({}, {}, weakKey)],
  ['a key of 2047 bits', [oddKey.jwk], 'weak_key', idToken({}, {}, oddKey)],
  [
    'a key of 1024 bits filled up with zeros',
    [{ ...weakKey.jwk, n: zeroFilled(String(weakKey.jwk.n)) }],
    'weak_key',
    idToken({}, {}, weakKey),
  ],
])('refuses a token where the set has %s', async (_, keys, reason, token = idToken()) => {
  const refusal: unknown = await against(keys, token).catch((thrown: unknown) => thrown)

  expect(refusal).toBeInstanceOf(TokenValidationError)
  expect(refusal).toMatchObject({ reason, message: expect.stringMatching(/key/) })
})

function zeroFilled(n: string): string {
  return Buffer.concat([Buffer.alloc(128), Buffer.from(n, 'base64url')]).toString('base64url')
}

it('reads a set that comes in the envelope', async () => {
  const { client, jwks } = issuer()
  jwks.answers(json({ success: true, data: { keys: [key.jwk] }, error: null }))

  await expect(client().validateIdToken(idToken())).resolves.toMatchObject({ sub: 'user_1' })
})
