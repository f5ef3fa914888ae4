/** An element of a page: `children` are elements and decoded texts. */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: (Element | string)[]
}

const voids = new Set(['meta', 'link', 'input', 'br'])
/** Their content is text, not markup. */
const rawTexts = new Set(['style', 'script'])

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

function decode(text: string): string {
  return text.replace(/&(?:(\w+|#\d+);)?/g, (whole, name: string | undefined) => {
    const character = name === undefined ? undefined : entities[name]
    if (character === undefined) throw new Error(`not escaped: ${whole} in ${text}`)
    return character
  })
}

const attribute = /\s+([\w-]+)(?:="([^"<]*)")?/y

/**
 * Parses a page as a browser does, but more strictly.
 *
 * @throws for a bare `<` or `&`, an unclosed quote, an attribute without quotes or an unclosed element
 */
export function parse(source: string): Element {
  const doctype = '<!doctype html>\n'
  if (!source.startsWith(doctype)) throw new Error('no doctype')
  const root: Element = { name: '#document', attributes: {}, children: [] }
  const open: Element[] = [root]
  const here = () => open.at(-1) as Element
  let at = doctype.length
  while (at < source.length) {
    const next = source.indexOf('<', at)
    const text = decode(source.slice(at, next < 0 ? undefined : next))
    if (text !== '') here().children.push(text)
    if (next < 0) break
    at = next
    const end = /<\/([a-z]\w*)>/y
    end.lastIndex = at
    const closing = end.exec(source)
    if (closing !== null) {
      if (open.pop()?.name !== closing[1]) throw new Error(`unexpected ${closing[0]}`)
      at = end.lastIndex
      continue
    }
    at = readElement(at)
  }
  if (open.length > 1) throw new Error(`not closed: ${here().name}`)
  return root

  function readElement(from: number): number {
    const start = /<([a-z]\w*)/y
    start.lastIndex = from
    const name = start.exec(source)?.[1]
    if (name === undefined) throw new Error(`not markup: ${source.slice(from, from + 40)}`)
    const attributes: Record<string, string> = {}
    let position = start.lastIndex
    for (;;) {
      attribute.lastIndex = position
      const found = attribute.exec(source)
      if (found === null) break
      if (Object.hasOwn(attributes, found[1] as string)) throw new Error(`${found[1]} twice`)
      attributes[found[1] as string] = decode(found[2] ?? '')
      position = attribute.lastIndex
    }
    const element: Element = { name, attributes, children: [] }
    here().children.push(element)
    const close = /(\/?)>/y
    close.lastIndex = position
    const closed = close.exec(source)
    if (closed === null) throw new Error(`malformed: ${source.slice(from, position + 40)}`)
    position = close.lastIndex
    if (rawTexts.has(name)) {
      const finish = source.indexOf(`</${name}>`, position)
      element.children.push(source.slice(position, finish))
      return finish + `</${name}>`.length
    }
    if (closed[1] === '' && !voids.has(name)) open.push(element)
    return position
  }
}

/** Returns all elements in document order. */
export function elements(within: Element): Element[] {
  return within.children.flatMap((child) => (typeof child === 'string' ? [] : [child, ...elements(child)]))
}

export const named = (within: Element, name: string) => elements(within).filter((element) => element.name === name)

/** Returns the only element with this name. */
export function only(within: Element, name: string): Element {
  const [found, ...more] = named(within, name)
  if (found === undefined || more.length > 0) throw new Error(`expected exactly one ${name}`)
  return found
}

/** Returns the text of an element and its descendants. */
export const textOf = (within: Element): string =>
  within.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('')
