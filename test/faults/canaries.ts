import type { ProxiedRequest } from '../support/fault-proxy.ts'
import { printed } from '../support/printed.ts'

/** What a call carries, and what only an answer holds. None of it may be found in anything that is said. */
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
  answeredToken: 'st_canary_4f9a8b7c',
  answeredLink: 'https://id.example.test/s/canary1',
  answeredNumber: 'CANARY987654',
  answeredHeader: 'canary_header_of_the_answer_6',
} as const

/** Fills images up; an echo is shorter without it. */
export const filler = '\u0007'

const values = Object.values(canary)

/** The part of its base64 that a value has wherever it begins within the bytes that are encoded. */
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

/** What a request carries of the values, and its own text, in every form that an echo may have. */
export function echoOf({ path, headers }: ProxiedRequest, body: Buffer) {
  const carried = [
    decodeURIComponent(path),
    ...Object.values(headers),
    body.toString().replaceAll(filler, ''),
  ].join('\n')
  const sent = values.filter((value) =>
    [value, JSON.stringify(value).slice(1, -1), ...inBase64(value)].some((form) => carried.includes(form)),
  )
  const encoded = (encoding: 'hex' | 'base64') =>
    sent.map((value) => Buffer.from(value).toString(encoding)).join(' ')
  return {
    plain: `${sent.join(', ')} ${carried}`,
    json: JSON.stringify(sent),
    inUrl: sent.map(encodeURIComponent).join('&'),
    hex: encoded('hex'),
    base64: encoded('base64'),
  }
}

/** What the service may say in an answer that nobody sent: told to callers, and to nobody else. */
export const answered = {
  session_token: canary.answeredToken,
  url: canary.answeredLink,
  activation_link: canary.answeredLink,
  document_number: canary.answeredNumber,
  portrait: Buffer.from(canary.answeredNumber.repeat(20)).toString('base64'),
}

/** How much was looked at, over all cases of a file. */
export const tally = { cases: 0, outputs: 0, leaks: 0 }

/** The canaries that things give away when they are printed. */
export function leaks(...things: unknown[]): string[] {
  const text = printed(...things).toLowerCase()
  const found = needles.filter((needle) => text.includes(needle))
  tally.cases++
  tally.outputs += things.length
  tally.leaks += found.length
  return found
}
