import { errorClass } from '../runtime/logging/error-class.ts'
import { hasBrand } from './sdk-error.ts'

/** How many causes of a cause are kept. */
const deepestCause = 2

interface ErrorLike {
  readonly message?: unknown
  readonly code?: unknown
  readonly cause?: unknown
}

/** What is shown of an error of other code. */
export interface CauseMask {
  /** Masks values that are known to be secret, in the name, the code and the message. @default masks none */
  readonly redact?: (text: string) => string
  /** Returns what a redacted message may show. @default its plain words */
  readonly describe?: (message: string, code: string | undefined) => string
}

/**
 * Rebuilds what other code threw, so that it can be the `cause` of one of our errors: its class name, its code and its
 * message in plain words. The original is never passed on, because drivers, parsers, platforms and the caller's
 * functions put bodies, addresses, paths, tokens and values into their errors. An error of this package is returned
 * unchanged.
 */
export function plainCause(thrown: unknown, mask: CauseMask = {}, depth = deepestCause): unknown {
  if (hasBrand(thrown)) return thrown
  try {
    return rebuilt(thrown, mask, depth)
  } catch {
    // A getter or a proxy threw. What it throws is as foreign as the error itself.
    return plainError('Error', 'the reason is withheld')
  }
}

function rebuilt(thrown: unknown, mask: CauseMask, depth: number): Error | string | undefined {
  const { redact = (text) => text, describe = plainWords } = mask
  if (typeof thrown === 'string') return describe(redact(thrown), undefined)
  if (typeof thrown !== 'object' || thrown === null) return undefined
  // Each property is read once, because a getter may return something else the next time.
  const { message, code: given, cause } = thrown as ErrorLike
  if (typeof message !== 'string') return undefined
  const name = errorClass(thrown)
  const code = typeof given === 'string' && /^[A-Z0-9_]{1,64}$/.test(given) ? given : undefined
  const plain = plainError(
    name !== undefined && redact(name) === name ? name : 'Error',
    describe(redact(message), code),
  )
  if (code !== undefined && redact(code) === code) Object.assign(plain, { code })
  if (depth > 0 && cause !== undefined) plain.cause = plainCause(cause, mask, depth - 1)
  return plain
}

function plainError(name: string, message: string): Error {
  const plain = new Error(message)
  if (name !== 'Error') Object.defineProperty(plain, 'name', { value: name, configurable: true })
  plain.stack = `${name}: ${message}`
  return plain
}

const hidden = '[redacted]'
const longestMessage = 1000

/** Text in quotes. The last one may have been cut off. An apostrophe inside a word is not a quote. */
const quoted = /(?<!\w)(["'`])[\s\S]*?(?:\1(?!\w)|$)/g

const plainWord = /^\(?[a-z]{1,20}(?:['’][a-z]{1,2})?[.,:;!?)]{0,2}$/
const capitalized = /^[A-Z][a-z]{1,20}(?:['’][a-z]{1,2})?[,:]?$/

/**
 * Masks everything in a message of other code except plain words: text in quotes, names, numbers, paths, URLs and
 * tokens. The first word may start with a capital letter, unless a name seems to follow.
 *
 * @param code the error's code, which is kept
 */
function plainWords(message: string, code?: string): string {
  const words = message.slice(0, longestMessage).replace(quoted, hidden).trim().split(/\s+/)
  const isPlain = (word: string | undefined) => word !== undefined && plainWord.test(word)
  const shown: string[] = []
  for (const [i, word] of words.entries()) {
    const isFirst = i === 0 && capitalized.test(word) && isPlain(words[1])
    const isCode = code !== undefined && word.replace(/[.,:;]$/, '') === code
    if (isFirst || isCode || isPlain(word)) shown.push(word)
    else if (shown.at(-1) !== hidden) shown.push(hidden)
  }
  return shown.join(' ')
}
