import crypto, { createPrivateKey, createPublicKey, type webcrypto } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { inject } from 'vitest'

const unused = [...inject('rsaKeys')]
const generatePair = crypto.generateKeyPairSync
const prototype: webcrypto.SubtleCrypto = Object.getPrototypeOf(crypto.webcrypto.subtle)
const generate = prototype.generateKey

const takeKey = (length: unknown) => (length === 2048 ? unused.pop() : undefined)

crypto.generateKeyPairSync = ((type: 'rsa', options: { modulusLength: number }) => {
  const pem = type === 'rsa' ? takeKey(options.modulusLength) : undefined
  if (pem === undefined) return generatePair(type, options)
  return { privateKey: createPrivateKey(pem), publicKey: createPublicKey(pem) }
}) as typeof generatePair
syncBuiltinESMExports()

prototype.generateKey = async function generateKey(
  this: webcrypto.SubtleCrypto,
  algorithm: webcrypto.RsaHashedKeyGenParams,
  extractable: boolean,
  usages: webcrypto.KeyUsage[],
) {
  const pem = algorithm.name === 'RSASSA-PKCS1-v1_5' ? takeKey(algorithm.modulusLength) : undefined
  if (pem === undefined) return generate.call(this, algorithm, extractable, usages)
  const key = createPrivateKey(pem)
  const [privateDer, publicDer] = [
    key.export({ type: 'pkcs8', format: 'der' }),
    createPublicKey(pem).export({ type: 'spki', format: 'der' }),
  ]
  return {
    privateKey: await this.importKey('pkcs8', privateDer, algorithm, extractable, ['sign']),
    publicKey: await this.importKey('spki', publicDer, algorithm, true, ['verify']),
  }
} as typeof generate
