import { arrow, type Box, boxAt, colors, linesOf, svg, textAt } from './drawing.ts'

type Side = 'top' | 'right' | 'bottom' | 'left'

export interface Node extends Box {
  readonly text: string
  /** `end` is round, and `own` has the color of the reader's backend. */
  readonly kind?: 'own' | 'end'
}

export interface Edge {
  readonly from: readonly [node: string, side: Side, offset?: number]
  readonly to: readonly [node: string, side: Side, offset?: number]
  /** Corners between the two ends. */
  readonly via?: readonly (readonly [x: number, y: number])[]
  readonly text?: string
  /** The center of the text. */
  readonly at?: readonly [x: number, y: number]
  /** The width in which the text is broken. */
  readonly within?: number
  readonly isDashed?: boolean
}

/** A picture of boxes and of the ways between them. The places are given, because a reader sees an order in them. */
export function graph(
  title: string,
  size: { readonly width: number; readonly height: number },
  nodes: Readonly<Record<string, Node>>,
  edges: readonly Edge[],
): string {
  const pointOf = ([name, side, offset = 0]: Edge['from']): [number, number] => {
    const node = nodes[name]
    if (node === undefined) throw new Error(`${title}: no node ${name}`)
    const { x, y, width, height } = node
    if (side === 'top') return [x + width / 2 + offset, y]
    if (side === 'bottom') return [x + width / 2 + offset, y + height]
    return [side === 'left' ? x : x + width, y + height / 2 + offset]
  }
  const arrows = edges.map(({ from, to, via = [], isDashed = false }) =>
    arrow([pointOf(from), ...via, pointOf(to)], isDashed),
  )
  const texts = edges.flatMap(({ from, to, text, at, within = 170 }) => {
    if (text === undefined) return []
    const [[x1, y1], [x2, y2]] = [pointOf(from), pointOf(to)]
    const [x, y] = at ?? [(x1 + x2) / 2, (y1 + y2) / 2]
    return [textAt(x, y, linesOf(text, within))]
  })
  const boxes = Object.values(nodes).map(({ text, kind, ...box }) =>
    boxAt(box, text, {
      ...(kind === 'own' ? { fill: colors.own, stroke: colors.brand } : {}),
      ...(kind === 'end' ? { round: box.height / 2 } : {}),
    }),
  )
  return svg({ title, ...size, parts: [...arrows, ...boxes, ...texts] })
}
