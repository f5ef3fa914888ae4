const plain = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '')
const digitsOf = (name: string) => name.replace(/\D/g, '')

/** One edit in so many letters is a typing mistake. Shorter names differ by one letter too often. */
const lettersPerEdit = 5

const allowedEdits = (a: string, b: string) => Math.floor(Math.min(a.length, b.length) / lettersPerEdit)

/**
 * Returns how many letters were added, left out or replaced, or neighbors swapped. Infinity if there are more than
 * allowed, or if the digits differ.
 */
function countEdits(a: string, b: string, allowed: number): number {
  if (Math.abs(a.length - b.length) > allowed || digitsOf(a) !== digitsOf(b)) return Number.POSITIVE_INFINITY
  // Each row has the edits from the first `i` letters of one name to each beginning of the other.
  let [previous, row]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const counts = [at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + cost]
      next.push(Math.min(...counts, isSwap ? at(previous, j - 2) + 1 : Number.POSITIVE_INFINITY))
    }
    ;[previous, row] = [row, next]
  }
  const edits = at(row, b.length)
  return edits > allowed ? Number.POSITIVE_INFINITY : edits
}

const at = (row: readonly number[] | undefined, j: number) => row?.[j] ?? Number.POSITIVE_INFINITY

/** Returns the listed name with the fewest edits, and their number. */
function closest(
  name: string,
  listed: readonly string[],
  allowed = allowedEdits,
): { readonly other?: string; readonly edits: number } {
  const spelled = plain(name)
  const counted = listed.map((other) => ({
    other,
    edits: countEdits(spelled, plain(other), allowed(spelled, plain(other))),
  }))
  return counted.reduce<ReturnType<typeof closest>>((least, one) => (one.edits < least.edits ? one : least), {
    edits: Number.POSITIVE_INFINITY,
  })
}

/** Returns the listed name that differs only in case, in separators or by one letter. */
export function misspelledName(name: string, listed: readonly string[]): string | undefined {
  const { other, edits } = closest(name, listed)
  return edits <= 1 ? other : undefined
}

/**
 * Returns the listed name that is most likely meant: the one with the fewest edits, or else one that is longer or
 * shorter, such as `timeoutMs` for `timeout`.
 */
export function nearestName(name: string, listed: readonly string[]): string | undefined {
  const spelled = plain(name)
  const overlaps = (other: string) => other.includes(spelled) || spelled.includes(other)
  return closest(name, listed).other ?? listed.find((other) => spelled.length > 2 && overlaps(plain(other)))
}

/** Returns the listed name that is most likely meant, however far it is. `undefined` only if none is left. */
export const nearestOf = (name: string, listed: readonly string[]): string | undefined =>
  nearestName(name, listed) ?? closest(name, listed, () => Number.POSITIVE_INFINITY).other
