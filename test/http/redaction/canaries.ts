import { images } from '../../support/fixtures.ts'

/** Values of calls. None of them may appear in an error, a log record or an event. */
export const canary = {
  apiKey: 'canary_key_Zx81qPu4mN',
  header: 'canary header of the client',
  callHeader: 'canary-header-of-the-call',
  id: 'canary+id@example.test',
  query: 'canary query & more',
  text: 'canary text "quoted" <b>\n',
  nested: 'canary-nested-väluë',
  number: 8_675_309,
  token: 'canary.token.of.the.person',
  dob: '1985-04-12',
  licence: 'CANARY/RN-12',
  fullName: "Canary O'Hara",
  image: 'canary-bytes-of-an-image',
} as const

export const image = new Uint8Array([...images.png, ...Buffer.from(canary.image)])
export const imageInBase64 = Buffer.from(image).toString('base64')

export const values = [...Object.values(canary).map(String), imageInBase64]
export const encoded = (value: string) =>
  (['base64', 'base64url', 'hex'] as const).map((encoding) => Buffer.from(value).toString(encoding))
export const sentence = values.join(', ')

/** The forms in which a value may be printed. */
export const formsOf = (value: string) => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
  // In a token that also encodes further text, the last digits differ.
  ...encoded(value)
    .map((text) => text.slice(0, Math.floor(text.length / 4) * 4 - 4))
    .filter((text) => text.length >= 8),
]
const forms = values.flatMap(formsOf)

/** Returns the forms of values that a text contains. */
export const leaksIn = (text: string) =>
  forms.filter((value) => text.toLowerCase().includes(value.toLowerCase()))
