import { type Timing, timing } from '../../src/http/timing.ts'
import { OrgClient, type OrgClientOptions } from '../../src/org.ts'
import { baseUrl } from './verification-client.ts'

export const clientId = 'client_0123456789'
export const clientSecret = 'secret-0123456789-abcdef'

/** A client whose waits take no time: each is noted, and the clock moves on by it. */
export function testOrg(options: OrgClientOptions & Partial<Timing> = {}) {
  const { now, wallClock, sleep, random, ...rest } = options
  const waits: number[] = []
  let elapsedMs = 0
  const clock: Timing = {
    now: now ?? (() => elapsedMs),
    wallClock: wallClock ?? (() => Date.UTC(2026, 0, 1) + elapsedMs),
    random: random ?? (() => 1),
    sleep:
      sleep ??
      (async (ms) => {
        waits.push(ms)
        elapsedMs += ms
      }),
  }
  const settings = {
    baseUrl,
    clientId,
    clientSecret,
    fetch: (...call: Parameters<typeof fetch>) => fetch(...call),
    ...rest,
  }
  const org = new OrgClient({ ...settings, [timing]: clock } as OrgClientOptions)
  const passTime = (ms: number) => {
    elapsedMs += ms
  }
  return { org, waits, passTime, now: () => elapsedMs }
}
