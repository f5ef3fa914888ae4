import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

/** One element of DER: tag, length and content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { byteLength } = content
  const length =
    byteLength < 128 ? [byteLength] : byteLength < 256 ? [0x81, byteLength] : [0x82, byteLength >> 8, byteLength & 0xff]
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
const dayMs = 86_400_000

/** Key and certificate, as PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/**
 * Creates a self-signed certificate that is valid for one day.
 *
 * @param hosts host names, which may begin with `*.`, and addresses of IPv4
 * @param owner must differ between certificates that are trusted together
 */
export function makeSelfSigned(hosts = ['localhost', '*.example.test', '127.0.0.1'], owner = 'localhost'): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(der(0x31, sequence(objectId('550403'), text(0x0c, owner))))
  const names = sequence(
    ...hosts.map((host) => (isIP(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : text(0x82, host))),
  )
  const extensions = sequence(
    sequence(objectId('551d13'), der(0x01, Buffer.of(0xff)), octets(sequence(der(0x01, Buffer.of(0xff))))),
    sequence(objectId('551d11'), octets(names)),
  )
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ecdsaWithSha256,
    name,
    sequence(utcTime(Date.now() - dayMs), utcTime(Date.now() + dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = sign('sha256', toBeSigned, privateKey)
  const whole = sequence(toBeSigned, ecdsaWithSha256, bits(signature)).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${whole.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`,
  }
}

/** Key and certificate for TLS servers of tests. Each process creates its own, so that no key is stored. */
export const selfSigned = makeSelfSigned()
