/** A picture as SVG. It has a background of its own, because it is shown on light and on dark pages. */
export interface Picture {
  readonly title: string
  readonly width: number
  readonly height: number
  readonly parts: readonly string[]
}

export const colors = {
  ink: '#1d2733',
  line: '#54647a',
  brand: '#1f5fbf',
  own: '#e8f0fc',
  other: '#f3f4f6',
  note: '#fdf6e3',
} as const

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

export const svg = ({ title, width, height, parts }: Picture) =>
  `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="14" fill="${colors.ink}">`,
    `<title>${escaped(title)}</title>`,
    `<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="${colors.line}"/></marker></defs>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="12" fill="#fff" stroke="#d8dee8"/>`,
    ...parts,
    '</svg>',
  ].join('\n')}\n`

/** About as wide as the text is drawn, in the units of the picture. */
const widthOf = (text: string) => text.length * 7.6

/** Breaks a text into lines that fit. */
export function linesOf(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1) ?? ''} ${word}`.trim()
    if (lines.length > 0 && widthOf(line) <= width) lines[lines.length - 1] = line
    else lines.push(word)
  }
  return lines
}

const lineHeight = 18

/** Draws lines of text, centered at a point, on a white ground that hides the line below. */
export const textAt = (x: number, y: number, lines: readonly string[]) =>
  lines
    .map((line, i) => {
      const middle = y + (i - (lines.length - 1) / 2) * lineHeight
      const width = widthOf(line) + 8
      return [
        `<rect x="${(x - width / 2).toFixed(1)}" y="${middle - 9}" width="${width.toFixed(1)}" height="18" fill="#fff"/>`,
        `<text x="${x}" y="${middle + 5}" text-anchor="middle">${escaped(line)}</text>`,
      ].join('')
    })
    .join('\n')

/** Draws a box with a text in it. */
export const boxAt = (
  { x, y, width, height }: Box,
  text: string,
  { fill = colors.other as string, stroke = '#b6c0cd', round = 8, bold = false } = {},
) =>
  [
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${round}" fill="${fill}" stroke="${stroke}"/>`,
    ...linesOf(text, width - 12).map((line, i, lines) => {
      const top = y + height / 2 + (i - (lines.length - 1) / 2) * lineHeight + 5
      return `<text x="${x + width / 2}" y="${top}" text-anchor="middle"${bold ? ' font-weight="600"' : ''}>${escaped(line)}</text>`
    }),
  ].join('\n')

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export const arrow = (points: readonly (readonly [x: number, y: number])[], isDashed = false) =>
  `<path d="M${points.map((point) => point.join(' ')).join('L')}" fill="none" stroke="${colors.line}" stroke-width="1.5" stroke-linejoin="round" marker-end="url(#tip)"${isDashed ? ' stroke-dasharray="5 4"' : ''}/>`

/** The number of lines that a text takes in a width, times their height. */
export const heightOf = (text: string, width: number) => linesOf(text, width).length * lineHeight
