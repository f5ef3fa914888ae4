/** Control characters, which a terminal executes, and characters that change the order or the lines of a text. */
const unsafe = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** Returns a character as `\uXXXX`. */
export const toEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Escapes characters that are not safe to print, so that text from outside stays on one line, in its order. */
export const escapeUnsafe = (text: string): string => text.replace(unsafe, toEscape)

/** Whether {@link escapeUnsafe} escapes a character. */
export const isUnsafe = (character: string): boolean => escapeUnsafe(character) !== character

/**
 * Returns a value as JSON that is safe to print. `JSON.stringify` alone leaves DEL, C1 and bidi characters.
 *
 * @param indent spaces for each level; without it, the JSON is one line
 */
export function printedJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, undefined, indent)
  // Line breaks are those of the layout: a text contains none, because JSON escapes them.
  return json.split('\n').map(escapeUnsafe).join('\n')
}
