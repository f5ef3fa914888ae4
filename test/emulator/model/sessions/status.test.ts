import { expect, it } from 'vitest'
import { inProcess, later, overHttp, start } from '../../support/service.ts'
import { sessionAt } from '../../support/session-at.ts'

// Sections 2.2 and 8

it.each(['NOT_STARTED', 'IN_PROGRESS'] as const)(
  'becomes EXPIRED after ttl_seconds, to the millisecond, if it is %s',
  async (from) => {
    const service = await overHttp()
    const id = await sessionAt(service, from, { ttl_seconds: 600 })

    await service.emulator.clock.advance(599_999)
    expect(await service.statusOf(id)).toBe(from)
    await service.emulator.clock.advance(1)

    expect(await service.statusOf(id)).toBe('EXPIRED')
  },
)

it('expires neither a session in review nor one with a longer lifetime', async () => {
  const service = await overHttp()
  const reviewed = await sessionAt(service, 'IN_REVIEW', { ttl_seconds: 60 })
  const longer = await sessionAt(service, 'NOT_STARTED', { ttl_seconds: 61 })

  await service.emulator.clock.advance(60_000)

  expect(await service.statusOf(reviewed)).toBe('IN_REVIEW')
  expect(await service.statusOf(longer)).toBe('NOT_STARTED')
})

it('expires each session after its own lifetime, in whatever order they were created', async () => {
  const service = await overHttp()
  const first = await sessionAt(service, 'NOT_STARTED', { ttl_seconds: 90 })
  const second = await sessionAt(service, 'NOT_STARTED', { ttl_seconds: 60 })
  const statuses = async () => Promise.all([first, second].map(service.statusOf))

  await service.emulator.clock.advance(60_000)
  expect(await statuses()).toEqual(['NOT_STARTED', 'EXPIRED'])
  const third = await sessionAt(service, 'NOT_STARTED', { ttl_seconds: 10 })
  await service.emulator.clock.advance(10_000)
  expect(await service.statusOf(third)).toBe('EXPIRED')
  await service.emulator.clock.advance(20_000)

  expect(await statuses()).toEqual(['EXPIRED', 'EXPIRED'])
})

it('expires at the next request if the clock of the options moved past the lifetime', async () => {
  let now = start
  const { session, decide } = inProcess({ clock: () => now })
  const { session_id } = await session({ ttl_seconds: 60 })

  now = later(60)

  const { status, error } = await decide(session_id, 'DECLINED')
  expect([status, error?.code]).toEqual([410, 'session_expired'])
})
