const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * Returns whether a host can only be this machine. Names under `.localhost` are not, because some resolvers ask the
 * network for them.
 *
 * @param hostname as `URL.hostname` spells it
 */
export const isLoopback = (hostname: string): boolean => loopback.test(hostname)

/** True if the network cannot read what is sent to a URL: it is `https`, or `http` to a loopback host. */
export const isSecureUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))

/** A scheme of an app's own, which contains a dot because it is a domain name in reverse (RFC 8252, section 7.1). */
const privateUseScheme = /^[a-z][a-z\d+-]*\.[a-z\d+.-]+:$/

/** Whether a sign-in may send its code to a URL. Others would be sent in the clear, or would run as a script. */
export function isRedirectUri(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return isSecureUrl(url) || privateUseScheme.test(url.protocol)
}

/** What {@link isRedirectUri} accepts, as the end of a sentence. */
export const redirectUriForm =
  'must be https, http to localhost, 127.0.0.1 or [::1], or a private-use scheme with a dot, such as com.example.app:/callback'
