/** A mistake in the source. */
export interface SourceChange {
  readonly name: string
  /** The file in `src`. */
  readonly file: string
  /** Text that occurs once in the file, and what replaces it. */
  readonly from: string
  readonly to: string
}

/** Changes one file of the source when it is loaded. */
export function mutation({ file, from, to, name }: SourceChange) {
  return {
    name: 'mutation',
    enforce: 'pre' as const,
    transform(code: string, id: string) {
      if (!id.endsWith(`/src/${file}`)) return null
      if (code.split(from).length !== 2) throw new Error(`${name}: the text does not occur once in src/${file}`)
      return code.replace(from, () => to)
    },
  }
}
