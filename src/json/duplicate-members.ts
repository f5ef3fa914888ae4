const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/**
 * Tells whether a JSON object names a member of its top level twice. Parsers keep the last of the two, and not
 * every one does: what was signed would then not be what is read.
 *
 * @param text that was parsed
 * @param parsed what it came to
 */
export function hasDuplicateMembers(text: string, parsed: object): boolean {
  return countMembers(text) !== Object.keys(parsed).length
}

/** Counts the colons of the top level: however a name is spelled, each member has one. */
function countMembers(text: string): number {
  let members = 0
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case quote:
        i = endOfString(text, i)
        break
      case openBrace:
      case openBracket:
        depth++
        break
      case closeBrace:
      case closeBracket:
        depth--
        break
      case colon:
        if (depth === 1) members++
    }
  }
  return members
}

/** Where the string that starts here ends: a search by the engine, since strings are most of a text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, index: number): boolean {
  let first = index
  while (text.charCodeAt(first - 1) === backslash) first--
  return (index - first) % 2 === 1
}
