import { expect, it } from 'vitest'
import { oneOfEach, organization } from './organization.ts'

it('takes 10 invites of one member in any minute, and says when the next may come', async () => {
  const { emulator, invite } = organization({ members: oneOfEach })
  for (let i = 0; i < 10; i++) {
    expect((await invite('invited@example.com')).status).toBe(200)
    await emulator.clock.advance(1000)
  }

  const refused = await invite('invited@example.com')

  expect(refused).toMatchObject({ status: 429, error: { code: 'rate_limited' } })
  expect(refused.headers.get('retry-after')).toBe('50')
  expect((await invite('link_sent@example.com')).status).toBe(200)
  await emulator.clock.advance(49_999)
  expect((await invite('invited@example.com')).status).toBe(429)
  await emulator.clock.advance(1)
  expect((await invite('invited@example.com')).status).toBe(200)
  expect((await invite('invited@example.com')).status).toBe(429)
})

it('an option counts the invites of all members together', async () => {
  const { invite } = organization({ members: oneOfEach, org: { inviteLimit: 'overall' } })
  for (let i = 0; i < 10; i++) await invite('invited@example.com')
  expect((await invite('link_sent@example.com')).status).toBe(429)
})
