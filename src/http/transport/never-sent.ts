/** System calls before the first byte: the lookup of a name, by the system or by DNS, and the connect. */
const callsBeforeSending = /^(?:getaddrinfo|query\w+|connect)$/

/**
 * Codes of failures that no system call causes, and that occur only before the first byte: a connect that takes too
 * long, a proxy that refuses it, and a certificate that is not trusted. No code of a TLS alert or record is here, because
 * those end open connections too. For the same reason no code of a system call is: `EHOSTUNREACH` is also how a read
 * fails.
 */
const codesBeforeSending =
  /^(?:UND_ERR_(?:CONNECT_TIMEOUT|PRX_CONN)|ERR_PROXY_TUNNEL|ERR_TLS_CERT_ALTNAME_\w+|CERT_\w+|(?:DEPTH_ZERO_)?SELF_SIGNED_\w+|UNABLE_TO_\w+)$/

/** Messages of Node, Deno, Bun and nock for the same failures, where neither a system call nor a code shows them. */
const messagesBeforeSending =
  /before secure TLS connection was established|client error \(Connect\)|Unable to connect\. Is the computer able to access the url|^Nock: Disallowed net connect /

/**
 * Whether an error proves that no byte of the request was sent: the lookup or the connect failed. Without a proof it
 * returns false, because the service may have executed the request.
 */
export const neverSent = (thrown: unknown): boolean =>
  someCause(thrown, ({ code = '', syscall, message }) =>
    syscall === undefined
      ? codesBeforeSending.test(code) || messagesBeforeSending.test(message)
      : callsBeforeSending.test(syscall),
  )

/** Codes of failures of an open connection. The error of a mock often has a code and no system call. */
const codesAfterConnect = /^(?:ECONNRESET|EPIPE|ETIMEDOUT|UND_ERR_(?:SOCKET|HEADERS_TIMEOUT|BODY_TIMEOUT)|HPE_\w+)$/

/** Whether an error shows that a connection was open: it names a system call such as `read`, or such a code. */
export const brokeAfterConnect = (thrown: unknown): boolean =>
  someCause(thrown, ({ code = '', syscall }) => syscall !== undefined || codesAfterConnect.test(code)) &&
  !neverSent(thrown)

/**
 * Tests an error and its causes, because a fetch wraps the error of the connection. `instanceof` would miss the errors
 * of Node where code runs in a realm of its own, as in Jest.
 */
export function someCause(thrown: unknown, test: (error: NodeJS.ErrnoException) => boolean, depth = 4): boolean {
  if (depth === 0 || typeof thrown !== 'object' || thrown === null) return false
  const error = thrown as NodeJS.ErrnoException & Partial<AggregateError>
  if (test(error) || someCause(error.cause, test, depth - 1)) return true
  return (
    Array.isArray(error.errors) &&
    error.errors.length > 0 &&
    error.errors.every((one) => someCause(one, test, depth - 1))
  )
}
