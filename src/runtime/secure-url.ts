import { environment } from './environment.ts'

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * Returns whether a host can only be this machine. Names under `.localhost` are not, because some resolvers ask the
 * network for them.
 *
 * @param hostname as `URL.hostname` spells it
 */
export const isLoopback = (hostname: string): boolean => loopback.test(hostname)

/** Returns whether a host is a loopback one, or the one that `SVC_EMULATOR_HOST` names, such as a container's. */
export const isEmulatorHost = (hostname: string): boolean =>
  isLoopback(hostname) || hostname === environment('SVC_EMULATOR_HOST')?.trim().toLowerCase()

/**
 * True if the network cannot read what is sent to a URL, or an emulator is there: it is `https`, or `http` to its host.
 */
export const isSecureUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isEmulatorHost(hostname))

/** A scheme of an app's own, which contains a dot because it is a domain name in reverse (RFC 8252, section 7.1). */
const privateUseScheme = /^[a-z][a-z\d+-]*\.[a-z\d+.-]+:$/

/** Whether a sign-in may send its code to a URL. Others would be sent in the clear, or would run as a script. */
export function isRedirectUri(text: string): boolean {
  // The service compares it with the registered one as text, and RFC 6749, section 3.1.2, allows no fragment.
  if (!URL.canParse(text) || /[\s#]/.test(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)) || privateUseScheme.test(protocol)
}

/** What {@link isRedirectUri} accepts, as the end of a sentence. */
export const redirectUriForm =
  'must be a valid URL without spaces and fragment: https, http to localhost, 127.0.0.1 or [::1], or a private-use scheme with a dot, such as com.example.app:/callback'
