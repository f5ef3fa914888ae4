const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Counts the members at the top level of a JSON object's text. `JSON.parse` keeps only the last of several members with
 * one name, also if the name is escaped differently. So if this count is higher than the number of parsed names, the
 * text has duplicates.
 *
 * @param text the text of a JSON object. It must be valid, because it is not checked again
 */
export function countMembers(text: string): number {
  let commas = 0
  let depth = 0
  let empty = true
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) {
      empty = false
      i = text.indexOf('"', i + 1)
      if (text.charCodeAt(i - 1) === backslash) i = endOfString(text, i)
    } else if (code === comma) {
      if (depth === 1) commas++
    } else if (code === openBrace || code === openBracket) depth++
    else if (code === closeBrace || code === closeBracket) depth--
  }
  return empty ? 0 : commas + 1
}

/** Returns the index of the quote that closes a string: this one or, if it is escaped, a later one. */
function endOfString(text: string, first: number): number {
  for (let end = first; ; end = text.indexOf('"', end + 1)) {
    let escapes = end
    while (text.charCodeAt(escapes - 1) === backslash) escapes--
    if ((end - escapes) % 2 === 0) return end
  }
}
