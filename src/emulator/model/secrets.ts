import { parseJson } from '../../runtime/bytes.ts'
import { tokenOfLink } from './addresses.ts'

/** Stands for a secret. */
export const masked = '[masked]'

/** Names of the contract that look like those of secrets. */
const publicNames = /^idempotency[-_]key$|^token_type$|_endpoint|_supported$/

/**
 * Parts of names that only secrets have, with any words around them: `x-api-key`, `userPassword`, `refresh_token_2`.
 */
const secretNames = [
  /authorization|bearer|cookie|jwt|assertion|password|passwd|passphrase|passcode|pwd|secret|token|verifier/,
  /(?:^|[^a-z]|api|access|private|secret)key(?![a-z])/,
  /(?<![a-z])(?:auth|otp|pin)(?![a-z])/,
  /(?:^|auth_|authorization_|time_)code$/,
]

/** Returns whether a field, a header or a parameter with this name is a secret, whatever it contains. */
export function isSecretName(name: string): boolean {
  const words = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '_').toLowerCase()
  return secretNames.some((form) => form.test(words)) && !publicNames.test(words)
}

/**
 * Masks the secrets of a text that is an address or a form, or contains one: the token of an activation link,
 * parameters with the names of secrets, and credentials before a host.
 */
export const maskText = (text: string): string =>
  text
    .replaceAll(tokenOfLink, masked)
    .replaceAll(/(?<=\/\/)[^\s/?#"@]+(?=@)/g, masked)
    .replaceAll(/(?<=^|[?&#])([^\s=&#?]+)=[^\s&#"]*/g, (parameter, name) =>
      isSecretName(decoded(name)) ? `${name}=${masked}` : parameter,
    )

const decoded = (name: string) => new URLSearchParams(`${name}=`).keys().next().value ?? ''

/** Returns a value as JSON in which secrets are masked, by the names of members and in its texts. */
export const maskedJson = (
  value: unknown,
  isSecret: (name: string, owner: object) => boolean = isSecretName,
): string | undefined =>
  JSON.stringify(value, function (this: object, name, part) {
    if (isSecret(name, this)) return masked
    return typeof part === 'string' ? maskText(part) : part
  })

/** Masks the secrets of a body that is JSON, and those of any other text that are in addresses. */
export const maskBody = (text: string): string => maskedJson(parseJson(text)) ?? maskText(text)
