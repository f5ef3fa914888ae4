/** Shorter values occur in any text by chance. */
const shortestMasked = 4

/** Returns a function that masks the texts and numbers in a value, at any depth, in a message of the caller's code. */
export function maskValues(content: unknown): (message: string) => string {
  return (message) => {
    let masked = message
    // The longest first, because a value may contain another one.
    for (const value of [...valuesIn(content)].sort((a, b) => b.length - a.length)) {
      for (const form of [value, JSON.stringify(value).slice(1, -1)]) {
        masked = masked.replaceAll(form, '[redacted]')
      }
    }
    return masked
  }
}

/** Collects texts and numbers at any depth. Not recursive, because a body may be nested deeper than the call stack. */
function valuesIn(content: unknown): Set<string> {
  const values = new Set<string>()
  const rest = [content]
  while (rest.length > 0) {
    const one = rest.pop()
    if (typeof one === 'object' && one !== null) for (const member of Object.values(one)) rest.push(member)
    else if (String(one).length >= shortestMasked && typeof one !== 'boolean') values.add(String(one))
  }
  return values
}
