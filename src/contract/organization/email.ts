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
 * Returns an email without the spaces around it and the dot at its end, in Unicode normal form C, and with the dots that
 * other scripts write in domains as plain ones. One with a hidden character is returned unchanged.
 */
export function plainEmail(email: string): string {
  if (hiddenCharacter(email) !== undefined) return email
  const plain = email.trim().normalize('NFC')
  const domainStart = plain.lastIndexOf('@') + 1
  const domain = plain.slice(domainStart).replace(/[\u3002\uff0e\uff61]/g, '.')
  return plain.slice(0, domainStart) + domain.replace(/\.$/, '')
}

/** Excludes what separates addresses, names and the parts of a URL. */
const address = /^[^\s@<>,;:"()]+@[^\s@<>,;:"()/?#%\\[\]]+$/

/** The longest name in DNS. The time of a conversion grows with the square of the length. */
const maxDomainLength = 253

/**
 * Whether a text is one address, without a name, brackets, a scheme, an invisible character, or a full-width form of
 * what separates addresses.
 */
export const isBareEmail = (email: string): boolean =>
  hiddenCharacter(email) === undefined && [email, email.normalize('NFKC')].every((form) => address.test(form))

/** Returns an email in its plain form, with the ASCII form of its domain. */
export function asciiEmail(email: string): string {
  const plain = plainEmail(email)
  const domainStart = plain.indexOf('@') + 1
  const domain = plain.slice(domainStart)
  // A domain in ASCII is not parsed, because a parser would also read it as a number.
  if (!/[^ -~]/.test(domain) || domain.length > maxDomainLength || !isBareEmail(plain)) return plain
  try {
    return plain.slice(0, domainStart) + new URL(`http://${domain}`).hostname
  } catch {
    return plain
  }
}

/** Returns the form in which emails are compared. */
export const comparableEmail = (email: string): string => asciiEmail(email).toLowerCase()

/** Returns the addresses that a text contains, or seems to contain, in the form in which they are compared. */
export const addressesIn = (text: string): readonly string[] =>
  [text, text.replace(hidden, '')]
    .flatMap((part) => part.normalize('NFKC').split(/[\s<>,;:"()]+/))
    .map((word) => {
      const [local, rest = ''] = word.split('@')
      return comparableEmail(`${local}@${rest.split(/[/?#%\\[\]]/, 1)[0]}`)
    })
