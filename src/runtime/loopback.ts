const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * Returns whether a host can only be this machine. Names under `.localhost` are not, because some resolvers ask the
 * network for them.
 *
 * @param hostname as `URL.hostname` spells it
 */
export const isLoopback = (hostname: string): boolean => loopback.test(hostname)
