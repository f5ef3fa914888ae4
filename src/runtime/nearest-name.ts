const plain = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '')
const digitsOf = (name: string) => name.replace(/\D/g, '')

/** Shorter names differ by one letter too often. */
const shortestTypo = 5

/** True if one letter was added, left out or replaced, or two neighbors were swapped. */
function isTypo(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < shortestTypo || digitsOf(a) !== digitsOf(b)) return false
  let same = 0
  while (same < a.length && a[same] === b[same]) same++
  const [x, y] = [a.slice(same), b.slice(same)]
  const [afterX, afterY] = [x.slice(1), y.slice(1)]
  const isSwap = x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2)
  return afterX === y || x === afterY || afterX === afterY || isSwap
}

/** Returns the listed name that differs only in case, in separators or by one letter. */
export function misspelledName(name: string, listed: readonly string[]): string | undefined {
  const given = plain(name)
  return listed.find((other) => plain(other) === given) ?? listed.find((other) => isTypo(given, plain(other)))
}

/** Returns the listed name that is most likely meant, which may also be longer or shorter: `timeoutMs` for `timeout`. */
export function nearestName(name: string, listed: readonly string[]): string | undefined {
  const given = plain(name)
  const overlaps = (other: string) => other.includes(given) || given.includes(other)
  return misspelledName(name, listed) ?? listed.find((other) => given.length > 2 && overlaps(plain(other)))
}
