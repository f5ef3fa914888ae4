import { expect, it } from 'vitest'
import { overHttp, start } from '../../support/service.ts'

// Section 2.10

const path = '/api/sdk/billing'
const [ada, bob] = ['ada@example.com', 'bob@example.com']

interface Summary {
  readonly seats: number
  readonly estimated_next_charge: number
  readonly subscription: Readonly<Record<string, unknown>> | null
}

it('the summary has the plan, the seats, the next charge, the balance and the invoices', async () => {
  const invoices = [{ period: '2026-02', seats: 2, amount: 25, created_at: '2026-03-01T00:00:00Z' }]
  const { get } = await overHttp({
    members: [{ email: ada }, { email: bob, role: 'owner' }, { email: 'eve@example.com', status: 'invited' }],
    org: {
      billing: {
        plan: 'growth',
        status: 'past_due',
        pricePerSeat: 12.5,
        balance: 12.345678,
        currency: 'EUR',
        invoices,
        currentPeriodEnd: new Date('2026-05-01T00:00:00Z'),
      },
    },
  })

  const { status, data } = await get<Summary>(path)

  expect(status).toBe(200)
  expect(data).toEqual({
    subscription: {
      plan: 'growth',
      status: 'past_due',
      price_per_seat: 12.5,
      in_trial: false,
      trial_ends_at: null,
      current_period_end: '2026-05-01T00:00:00.000Z',
    },
    seats: 2,
    estimated_next_charge: 25,
    currency: 'EUR',
    balance: 12.345678,
    invoices,
  })
})

it('without options there is an active team plan until the next month, in USD', async () => {
  const { get } = await overHttp()

  expect((await get(path)).data).toEqual({
    subscription: {
      plan: 'team',
      status: 'active',
      price_per_seat: 5,
      in_trial: false,
      trial_ends_at: null,
      current_period_end: '2026-04-01T00:00:00.000Z',
    },
    seats: 0,
    estimated_next_charge: 0,
    currency: 'USD',
    balance: 0,
    invoices: [],
  })
})

it('a trial has its end, and in_trial is false from then on', async () => {
  const trialEndsAt = new Date(start.getTime() + 86_400_000)
  const { emulator, get } = await overHttp({ org: { billing: { status: 'trialing', trialEndsAt } } })
  const subscription = async () => (await get<Summary>(path)).data.subscription

  expect(await subscription()).toMatchObject({
    status: 'trialing',
    in_trial: true,
    trial_ends_at: trialEndsAt.toISOString(),
  })
  await emulator.clock.advance(86_400_000)

  expect(await subscription()).toMatchObject({ in_trial: false })
})

it.each([
  ['before a plan exists', { plan: null }, 1, { subscription: null }],
  ['unrounded', { pricePerSeat: 0.335 }, 3, { seats: 3, estimated_next_charge: 0.335 * 3 }],
])('the summary is %s: %j', async (_, billing, count, facts) => {
  const people = Array.from({ length: count }, (_, i) => ({ email: `p${i}@example.com` }))
  const { get } = await overHttp({ org: { billing }, members: people })

  expect((await get(path)).data).toMatchObject(facts)
})
