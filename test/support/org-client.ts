import { OrgClient, type OrgClientOptions } from '../../src/org.ts'
import { type Timing, timing } from '../../src/runtime/timing.ts'
import { testTiming } from './timing.ts'
import { baseUrl } from './verification-client.ts'

export const clientId = 'client_0123456789'
export const clientSecret = 'secret-0123456789-abcdef'

/** A client whose waits take no time: each is noted, and the clock moves on by it. */
export function testOrg(options: OrgClientOptions & Partial<Timing> = {}) {
  const { now, wallClock, sleep, random, ...rest } = options
  const { clock, waits, passTime } = testTiming({ now, wallClock, sleep, random })
  const settings = {
    baseUrl,
    clientId,
    clientSecret,
    fetch: (...call: Parameters<typeof fetch>) => fetch(...call),
    ...rest,
  }
  const org = new OrgClient({ ...settings, [timing]: clock } as OrgClientOptions)
  return { org, waits, passTime, now: clock.now }
}
