import { expect, it } from 'vitest'
import { start } from './emulated.ts'
import { oneOfEach, organization } from './organization.ts'

it('bills the active members of every role', async () => {
  const { emulator, billing, deactivate } = organization({
    members: [...oneOfEach, { email: 'owner@example.com', role: 'owner' }],
    org: { billing: { pricePerSeat: 0.1, balance: 12.345678 } },
  })
  emulator.members.activate('invited@example.com')

  expect(await billing()).toEqual({
    subscription: {
      plan: 'team',
      status: 'active',
      price_per_seat: 0.1,
      in_trial: false,
      trial_ends_at: null,
      current_period_end: '2026-04-01T00:00:00.000Z',
    },
    seats: 3,
    estimated_next_charge: 3 * 0.1,
    currency: 'USD',
    balance: 12.345678,
    invoices: [],
  })
  await deactivate('active@example.com')
  expect(await billing()).toMatchObject({ seats: 2, estimated_next_charge: 0.2 })
})

it('bills as it is told', async () => {
  const invoice = { period: '2026-02', seats: 3, amount: 29.97, created_at: '2026-03-01T00:00:00Z' }
  const trialEndsAt = new Date(start.getTime() + 1000)
  const { emulator, billing } = organization({
    org: {
      billing: {
        plan: 'growth',
        status: 'trialing',
        trialEndsAt,
        currentPeriodEnd: trialEndsAt,
        currency: 'EUR',
        invoices: [invoice],
      },
    },
  })
  const ends = trialEndsAt.toISOString()

  expect(await billing()).toMatchObject({
    subscription: {
      plan: 'growth',
      status: 'trialing',
      in_trial: true,
      trial_ends_at: ends,
      current_period_end: ends,
    },
    currency: 'EUR',
    invoices: [invoice],
  })
  await emulator.clock.advance(1000)
  expect(await billing()).toMatchObject({ subscription: { in_trial: false } })
})

it('before there is a plan there is no subscription and nothing to charge', async () => {
  const { billing } = organization({ members: oneOfEach, org: { billing: { plan: null } } })
  expect(await billing()).toMatchObject({ subscription: null, seats: 1, estimated_next_charge: 0 })
})
