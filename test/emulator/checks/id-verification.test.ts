import { expect, it } from 'vitest'
import { type CheckResult, holder } from '../support/checks.ts'
import { photoBase64 } from '../support/images.ts'
import { overHttp } from '../support/service.ts'

// Sections 2.3, 2.5 and 4.3

const path = '/api/v2/id-verification'

it('returns the fields, the portrait, the date of birth and the authenticity', async () => {
  const { post } = await overHttp()

  const { data } = await post<CheckResult>(path, { front_image: photoBase64 })

  const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/)
  const text = expect.stringMatching(/./)
  expect(data.check).toEqual({
    type: 'id_verification',
    status: 'passed',
    score: 0.98,
    data: {
      fields: {
        full_name: holder,
        document_number: text,
        date_of_birth: '1990-04-12',
        date_of_expiry: day,
        issuing_state: text,
        country: text,
        document_type: text,
      },
      portrait: expect.stringMatching(/^iVBOR[A-Za-z0-9+/]+=*$/),
      dob: '1990-04-12',
      authenticity: { score: 0.98 },
    },
    error: null,
  })
})

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
