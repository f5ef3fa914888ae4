import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** One element of DER: tag, length and content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { byteLength } = content
  const length = byteLength < 128 ? [byteLength] : [0x82, byteLength >> 8, byteLength & 0xff]
  return Buffer.concat([Buffer.of(tag, ...length), content])
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts)
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const octets = (content: Uint8Array) => der(0x04, content)
const bits = (content: Uint8Array) => der(0x03, Buffer.of(0), content)
const text = (tag: number, value: string) => der(tag, Buffer.from(value, 'latin1'))
const utcTime = (ms: number) =>
  text(
    0x17,
    new Date(ms)
      .toISOString()
      .replace(/^\d\d|\D|\d{3}Z$/g, '')
      .concat('Z'),
  )

const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'))
const localhost = sequence(der(0x31, sequence(objectId('550403'), text(0x0c, 'localhost'))))
const dayMs = 86_400_000

/** Creates a self-signed certificate for `localhost`, `127.0.0.1` and `*.example.test` that is valid for one day. */
export function makeSelfSigned(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const names = sequence(
    text(0x82, 'localhost'),
    text(0x82, '*.example.test'),
    der(0x87, Buffer.of(127, 0, 0, 1)),
  )
  const extensions = sequence(
    sequence(objectId('551d13'), der(0x01, Buffer.of(0xff)), octets(sequence(der(0x01, Buffer.of(0xff))))),
    sequence(objectId('551d11'), octets(names)),
  )
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ecdsaWithSha256,
    localhost,
    sequence(utcTime(Date.now() - dayMs), utcTime(Date.now() + dayMs)),
    localhost,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = sign('sha256', toBeSigned, privateKey)
  const whole = sequence(toBeSigned, ecdsaWithSha256, bits(signature)).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${whole.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

/** Key and certificate for TLS servers of tests. Each process creates its own, so that no key is stored. */
export const selfSigned = makeSelfSigned()
