import type { Emulator } from '../emulated.ts'
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

/** Somebody at a browser: opens pages and presses their buttons. Redirects are told, not followed. */
export function visitor(emulator: Pick<Emulator, 'fetch'>) {
  return {
    open: async (url: string) => asVisit(await emulator.fetch(new Request(url))),
    press: async (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      asVisit(
        await emulator.fetch(
          new Request(url, { method: 'POST', headers, body: new URLSearchParams(fields) }),
        ),
      ),
  }
}

export const titleOf = ({ document }: Visit) => named(document, 'title').map(textOf).join()

export const headingOf = ({ document }: Visit) => named(document, 'h1').map(textOf).join()

/** Of the page without its head. */
export const textOnPage = ({ document }: Visit) => named(document, 'body').map(textOf).join()

/** The radio buttons: `name=value`, those that are picked with a star. */
export const radios = ({ document }: Visit) =>
  named(document, 'input').map(
    ({ attributes: { name, value, checked } }) => `${name}=${value}${checked === undefined ? '' : '*'}`,
  )

export const picked = (visit: Visit) =>
  radios(visit)
    .filter((radio) => radio.endsWith('*'))
    .map((radio) => radio.slice(0, -1))

/** What the buttons send. */
export const buttons = ({ document }: Visit) =>
  named(document, 'button').map(({ attributes: { name, value } }) => `${name}=${value}`)

export const links = ({ document }: Visit) => named(document, 'a').map(({ attributes: { href } }) => href)

export const alertOf = ({ document }: Visit) =>
  elements(document)
    .filter(({ attributes: { role } }) => role === 'alert')
    .map(textOf)
    .join()
