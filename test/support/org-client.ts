import { OrgClient, type OrgClientOptions } from '../../src/index.ts'
import { type Timing, timing } from '../../src/runtime/timing.ts'
import { testTiming } from './timing.ts'
import { baseUrl } from './verification-client.ts'

export const clientId = 'client_0123456789'
export const clientSecret = 'secret-0123456789-abcdef'

/**
 * A client on a manual clock. Waits between attempts take no time and are recorded in `waits`. An attempt times out
 * only if the test calls `advance`.
 */
export function testOrg(options: OrgClientOptions & Partial<Timing> = {}) {
  const { now, wallClock, sleep, random, timer, ...rest } = options
  const { timing: clock, ...controls } = testTiming({ now, wallClock, sleep, random, timer })
  const settings: object = {
    baseUrl,
    clientId,
    clientSecret,
    fetch: (...call: Parameters<typeof fetch>) => fetch(...call),
    ...rest,
    [timing]: clock,
  }
  const org = new OrgClient(settings)
  return { org, now: clock.now, ...controls }
}
