import { expect, it } from 'vitest'
import { listening, start } from './over-http.ts'

const path = '/api/sdk/billing'
const email = 'ada@example.com'

interface Summary {
  readonly seats: number
  readonly estimated_next_charge: number
  readonly subscription: Readonly<Record<string, unknown>> | null
}

// Section 2.10

it('the summary has the plan, the seats, the charge to come, the balance and the invoices', async () => {
  const invoices = [{ period: '2026-02', seats: 2, amount: 25, created_at: '2026-03-01T00:00:00Z' }]
  const currentPeriodEnd = new Date('2026-04-01T00:00:00Z')
  const { get } = await listening({
    members: [
      { email },
      { email: 'bob@example.com', role: 'owner' },
      { email: 'eve@example.com', status: 'invited' },
    ],
    org: {
      billing: {
        plan: 'team',
        status: 'active',
        pricePerSeat: 12.5,
        balance: 7.25,
        currency: 'EUR',
        invoices,
        currentPeriodEnd,
      },
    },
  })

  const { status, data } = await get<Summary>(path)

  expect(status).toBe(200)
  expect(data).toEqual({
    subscription: {
      plan: 'team',
      status: 'active',
      price_per_seat: 12.5,
      in_trial: false,
      trial_ends_at: null,
      current_period_end: expect.toSatisfy((text) => +new Date(text) === +currentPeriodEnd),
    },
    seats: 2,
    estimated_next_charge: 25,
    currency: 'EUR',
    balance: 7.25,
    invoices,
  })
})

it('seats are the active members, and the charge is seats times price_per_seat', async () => {
  const { call, emulator, get, patch, post } = await listening({ org: { billing: { pricePerSeat: 4 } } })
  const bill = async () => {
    const { seats, estimated_next_charge } = (await get<Summary>(path)).data
    return [seats, estimated_next_charge]
  }

  const bills = [await bill()]
  await post('/api/sdk/members', { members: [{ email }, { email: 'bob@example.com' }] })
  bills.push(await bill())
  emulator.members.activate(email)
  emulator.members.activate('bob@example.com')
  bills.push(await bill())
  await patch(`/api/sdk/members/${email}/deactivate`)
  bills.push(await bill())
  await patch(`/api/sdk/members/${email}/reactivate`)
  bills.push(await bill())
  await call('DELETE', '/api/sdk/members/bob@example.com?permanent=true')
  bills.push(await bill())

  expect(bills).toEqual([
    [0, 0],
    [0, 0],
    [2, 8],
    [1, 4],
    [2, 8],
    [1, 4],
  ])
})

it('there is no subscription before there is a plan', async () => {
  const { get } = await listening({ members: [{ email }], org: { billing: { plan: null } } })

  expect((await get(path)).data).toMatchObject({ subscription: null, seats: 1 })
})

it('a trial shows until when, and ends then', async () => {
  const trialEndsAt = new Date(start.getTime() + 86_400_000)
  const { emulator, get } = await listening({ org: { billing: { trialEndsAt } } })
  const subscription = async () => (await get<Summary>(path)).data.subscription

  expect(await subscription()).toMatchObject({ in_trial: true, trial_ends_at: trialEndsAt.toISOString() })
  await emulator.clock.advance(86_400_000)

  expect(await subscription()).toMatchObject({ in_trial: false })
})
