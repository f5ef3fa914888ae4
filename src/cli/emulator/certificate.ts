import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

/** Returns one element of DER: tag, length and content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { byteLength } = content
  const long = byteLength < 256 ? [0x81, byteLength] : [0x82, byteLength >> 8, byteLength & 0xff]
  const length = byteLength < 128 ? [byteLength] : long
  return Buffer.concat([Buffer.of(tag, ...length), content])
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts)
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const octets = (content: Uint8Array) => der(0x04, content)
const text = (tag: number, value: string) => der(tag, Buffer.from(value, 'latin1'))
/** A time with a year of two digits, which stands for 1950 to 2049. */
const utcTime = (time: Date) => text(0x17, `${time.toISOString().slice(2, 19).replaceAll(/\D/g, '')}Z`)

const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'))
const issuer = sequence(der(0x31, sequence(objectId('550403'), text(0x0c, 'identity-service-sdk emulator'))))
const dayMs = 86_400_000

/** Returns the bytes of an IP address. IPv6 is written out by `URL`, except for `::`. */
function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (part = '') => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const [first, last] = [groups(before), groups(after)]
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}

const subjectName = (host: string) => (isIP(host) === 0 ? text(0x82, host) : der(0x87, addressBytes(host)))

/** A key and its certificate, in PEM. */
export interface SelfSigned {
  readonly key: string
  readonly cert: string
}

/**
 * Creates a key and a certificate for host names and IP addresses. It is signed by itself, so clients must be
 * configured to trust it.
 *
 * @param now it is valid from the day before, because clocks differ, and for 30 days
 */
export function createCertificate(hosts: readonly string[], now: Date): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const serverAuth = objectId('2b06010505070301')
  const extensions = sequence(
    // Not an authority, so that a program that trusts it trusts these hosts only, and not what its key signs.
    sequence(objectId('551d13'), der(0x01, Buffer.of(0xff)), octets(sequence())),
    sequence(objectId('551d25'), octets(sequence(serverAuth))),
    sequence(objectId('551d11'), octets(sequence(...[...new Set(hosts)].map(subjectName)))),
  )
  const certificate = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ecdsaWithSha256,
    issuer,
    sequence(utcTime(new Date(now.getTime() - dayMs)), utcTime(new Date(now.getTime() + 30 * dayMs))),
    issuer,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = der(0x03, Buffer.of(0), sign('sha256', certificate, privateKey))
  const base64 = sequence(certificate, ecdsaWithSha256, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}
