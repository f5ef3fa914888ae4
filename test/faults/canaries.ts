import type { ProxiedRequest } from '../support/fault-proxy.ts'
import { printed } from '../support/printed.ts'

/** Values that only a request or only a response contains. None of them may appear in an error, a log record or an event. */
export const canary = {
  apiKey: 'canary-key-Zx81qPu4mN',
  clientSecret: 'canary/secret+7Hq2:vB9',
  refreshToken: 'canary_refresh_5Tg8Wy3e',
  token: 'canary.bearer.9Kd4Jf6s',
  code: 'canary_code_2Lm7Xc1z',
  verifier: 'canary_verifier_8Rb3Nv5q',
  image: 'canary bytes of an image 6Yu1',
  document: 'CANARY-D1234567',
  person: "Canary O'Hara 4711",
  email: 'canary+4@example.test',
  id: 'sess_canary/9?x',
  clientHeader: 'canary header of the client 3',
  callHeader: 'canary header of the call 8',
  responseToken: 'st_canary_4f9a8b7c',
  responseLink: 'https://id.example.test/s/canary1',
  responseNumber: 'CANARY987654',
  responseHeader: 'canary_header_of_the_response_6',
} as const

/** Padding of images. Echoes leave it out, so that they are shorter. */
export const filler = '\u0007'

const values = Object.values(canary)

/** The part of its base64 that a value has at each alignment within the encoded bytes. */
function inBase64(value: string): string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.from(' '.repeat(shift) + value).toString('base64')
    return encoded.slice(shift === 0 ? 0 : 4, Math.floor((shift + Buffer.byteLength(value)) / 3) * 4)
  })
}

const forms = values.flatMap((value) => {
  const bytes = Buffer.from(value)
  const base64 = inBase64(value)
  return [
    value,
    encodeURIComponent(value),
    new URLSearchParams([['', value]]).toString().slice(1),
    JSON.stringify(value).slice(1, -1),
    bytes.toString('hex'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
})
const needles = [...new Set(forms.map((form) => form.toLowerCase()))]

/** The canaries of a request and its own text, in every form that an echo may have. */
export function echoOf({ path, headers }: ProxiedRequest, body: Buffer) {
  const text = [
    decodeURIComponent(path),
    ...Object.values(headers),
    body.toString().replaceAll(filler, ''),
  ].join('\n')
  const sent = values.filter((value) =>
    [value, JSON.stringify(value).slice(1, -1), ...inBase64(value)].some((form) => text.includes(form)),
  )
  const encoded = (encoding: 'hex' | 'base64') =>
    sent.map((value) => Buffer.from(value).toString(encoding)).join(' ')
  return {
    plain: `${sent.join(', ')} ${text}`,
    json: JSON.stringify(sent),
    inUrl: sent.map(encodeURIComponent).join('&'),
    hex: encoded('hex'),
    base64: encoded('base64'),
  }
}

/** Fields of a response with values that no request contains. Callers may read them; nothing prints them. */
export const responseFields = {
  session_token: canary.responseToken,
  url: canary.responseLink,
  activation_link: canary.responseLink,
  document_number: canary.responseNumber,
  portrait: Buffer.from(canary.responseNumber.repeat(20)).toString('base64'),
}

/** How many outputs were searched, over all cases of a file. */
export const tally = { cases: 0, outputs: 0, leaks: 0 }

/** Returns the canaries that appear if values are printed. */
export function leaks(...outputs: unknown[]): string[] {
  const text = printed(...outputs).toLowerCase()
  const found = needles.filter((needle) => text.includes(needle))
  tally.cases++
  tally.outputs += outputs.length
  tally.leaks += found.length
  return found
}
