export interface Visit {
  readonly status: number
  readonly headers: Headers
  readonly location: string | null
  readonly source: string
}

const asVisit = async (response: Response): Promise<Visit> => ({
  status: response.status,
  headers: response.headers,
  location: response.headers.get('location'),
  source: await response.text(),
})

/** Creates a simulated browser user, who opens pages and submits their forms. Redirects are returned, not followed. */
export function visitor(emulator: { fetch(request: Request): Promise<Response> }) {
  return {
    open: async (url: string) => asVisit(await emulator.fetch(new Request(url))),
    press: async (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      asVisit(await emulator.fetch(new Request(url, { method: 'POST', headers, body: new URLSearchParams(fields) }))),
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

const decode = (text: string) => text.replaceAll(/&(\w+|#39);/g, (whole, name) => entities[name] ?? whole)

/** Returns the elements with a name, which do not contain each other, in document order. */
export const named = ({ source }: Pick<Visit, 'source'>, name: string) =>
  [
    ...source
      .replace(/<style>[\s\S]*?<\/style>/, '')
      .matchAll(new RegExp(`<${name}(\\s[^>]*)?>(?:([\\s\\S]*?)</${name}>)?`, 'g')),
  ].map(([, attributes = '', content = '']) => ({
    attributes: Object.fromEntries(
      [...attributes.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, key, value = '']) => [key, decode(value)]),
    ) as Readonly<Record<string, string>>,
    text: decode(content.replaceAll(/<[^>]*>/g, '')),
  }))

const textsOf = (visit: Visit, name: string) => named(visit, name).map(({ text }) => text)

export const headingOf = (visit: Visit) => textsOf(visit, 'h1').join()

/** Returns the text of the page's body. */
export const textOnPage = (visit: Visit) => textsOf(visit, 'body').join()

/** Returns the radio buttons as `name=value`. Selected ones end with `*`. */
export const radios = (visit: Visit) =>
  named(visit, 'input').map(
    ({ attributes: { name, value, checked } }) => `${name}=${value}${checked === undefined ? '' : '*'}`,
  )

export const selectedRadios = (visit: Visit) =>
  radios(visit)
    .filter((radio) => radio.endsWith('*'))
    .map((radio) => radio.slice(0, -1))

/** Returns the `name=value` that each button sends. */
export const buttons = (visit: Visit) =>
  named(visit, 'button').map(({ attributes: { name, value } }) => `${name}=${value}`)

export const alertOf = (visit: Visit) =>
  named(visit, 'p')
    .filter(({ attributes: { role } }) => role === 'alert')
    .map(({ text }) => text)
    .join()
