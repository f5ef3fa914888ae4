// A file of its own, so that the command line can import it without the schemas of the members (24 KB).

import { codePoint } from '../../runtime/code-point.ts'

/**
 * Characters that nobody sees: control and format characters, fillers, line separators. U+2800 is a Braille cell
 * without dots.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** The invisible characters that `trim` removes: a byte order mark and line separators. */
const trimmed = /[\uFEFF\u2028\u2029]/

/**
 * Returns the first invisible or control character of an email, as `U+200B`. With it, the email would belong to another
 * member, who looks like the same one. Tabs and line breaks count only inside, because they are trimmed with the
 * spaces.
 */
export function hiddenCharacter(email: string): string | undefined {
  const [found] = (trimmed.test(email) ? email : email.trim()).match(hidden) ?? []
  return found && codePoint(found)
}

/**
 * Returns an email without the spaces around it, in Unicode normal form C. One with a hidden character is returned
 * unchanged.
 */
export const plainEmail = (email: string): string =>
  hiddenCharacter(email) === undefined ? email.trim().normalize('NFC') : email

/** Returns the form in which emails are compared. */
export const comparableEmail = (email: string): string => plainEmail(email).toLowerCase()

/** Returns an email without its hidden characters. */
export const visibleEmail = (email: string): string => email.replace(hidden, '')
