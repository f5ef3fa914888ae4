import { expect, it } from 'vitest'
import type { CheckResult } from '../support/checks.ts'
import { photoBase64 } from '../support/images.ts'
import { overHttp } from '../support/service.ts'

// Sections 2.3, 2.5 and 4.3

const path = '/api/v2/id-verification'

it.each(['passed', 'failed', 'review'] as const)(
  'returns the status %s in the result and in the check',
  async (status) => {
    const { emulator, post } = await overHttp()
    emulator.checks.script('id_verification', status)

    const { data } = await post<CheckResult>(path, { front_image: photoBase64 })

    expect([data.status, data.check.status]).toEqual([status, status])
  },
)

it('gives each result its own session_id', async () => {
  const { post } = await overHttp()
  const idOf = async () => (await post<CheckResult>(path, { front_image: photoBase64 })).data.session_id

  expect(await idOf()).not.toBe(await idOf())
})
