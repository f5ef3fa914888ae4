const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * Returns whether a host can only be this machine.
 *
 * @param hostname as `URL.hostname` spells it
 */
export const isLoopback = (hostname: string): boolean => loopback.test(hostname)
