import { type Element, elements, named, parse, textOf } from './document.ts'

export interface Visit {
  readonly status: number
  readonly headers: Headers
  readonly location: string | null
  readonly document: Element
}

const asVisit = async (response: Response): Promise<Visit> => {
  const source = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    location: response.headers.get('location'),
    document: source === '' ? { name: '#document', attributes: {}, children: [] } : parse(source),
  }
}

/** Creates a simulated browser user, who opens pages and submits their forms. Redirects are returned, not followed. */
export function visitor(emulator: { fetch(request: Request): Promise<Response> }) {
  return {
    open: async (url: string) => asVisit(await emulator.fetch(new Request(url))),
    press: async (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      asVisit(await emulator.fetch(new Request(url, { method: 'POST', headers, body: new URLSearchParams(fields) }))),
  }
}

export const titleOf = ({ document }: Visit) => named(document, 'title').map(textOf).join()

export const headingOf = ({ document }: Visit) => named(document, 'h1').map(textOf).join()

/** Returns the text of the page's body. */
export const textOnPage = ({ document }: Visit) => named(document, 'body').map(textOf).join()

/** Returns the radio buttons as `name=value`. Selected ones end with `*`. */
export const radios = ({ document }: Visit) =>
  named(document, 'input').map(
    ({ attributes: { name, value, checked } }) => `${name}=${value}${checked === undefined ? '' : '*'}`,
  )

export const selectedRadios = (visit: Visit) =>
  radios(visit)
    .filter((radio) => radio.endsWith('*'))
    .map((radio) => radio.slice(0, -1))

/** Returns the `name=value` that each button sends. */
export const buttons = ({ document }: Visit) =>
  named(document, 'button').map(({ attributes: { name, value } }) => `${name}=${value}`)

export const links = ({ document }: Visit) => named(document, 'a').map(({ attributes: { href } }) => href)

export const alertOf = ({ document }: Visit) =>
  elements(document)
    .filter(({ attributes: { role } }) => role === 'alert')
    .map(textOf)
    .join()
