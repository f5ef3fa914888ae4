import { arrow, boxAt, colors, heightOf, linesOf, svg, textAt } from './drawing.ts'

/** A message from one lane to another, or a note at a lane. */
export type Step =
  | { readonly from: number; readonly to: number; readonly text: string; readonly isReply?: boolean }
  | { readonly at: number; readonly note: string }

/** A picture of who sends what to whom, from top to bottom. The lane with the index 1 is the reader's backend. */
export function sequence(title: string, lanes: readonly string[], steps: readonly Step[]): string {
  const width = 720
  const gap = width / lanes.length
  const x = (lane: number) => Math.round(gap * (lane + 0.5))
  const parts: string[] = []
  let y = 84
  for (const step of steps) {
    if ('note' in step) {
      const noteWidth = gap - 16
      const height = heightOf(step.note, noteWidth - 12) + 14
      const box = { x: x(step.at) - noteWidth / 2, y, width: noteWidth, height }
      parts.push(boxAt(box, step.note, { fill: colors.note, stroke: '#e3d5a8', round: 4 }))
      y += height + 16
      continue
    }
    const { from, to, text, isReply = false } = step
    const span = Math.abs(x(to) - x(from)) - 24
    const height = heightOf(text, span)
    parts.push(
      arrow(
        [
          [x(from), y + height + 6],
          [x(to), y + height + 6],
        ],
        isReply,
      ),
    )
    parts.push(textAt((x(from) + x(to)) / 2, y + height / 2, linesOf(text, span)))
    y += height + 24
  }
  const lines = lanes.map((_, lane) => `<path d="M${x(lane)} 64V${y}" stroke="#c3ccd8" stroke-dasharray="2 4"/>`)
  const heads = lanes.map((lane, i) =>
    boxAt({ x: x(i) - 84, y: 20, width: 168, height: 40 }, lane, {
      bold: true,
      ...(i === 1 ? { fill: colors.own, stroke: colors.brand } : {}),
    }),
  )
  return svg({ title, width, height: y + 16, parts: [...lines, ...heads, ...parts] })
}
