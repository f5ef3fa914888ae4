import { expect, it } from 'vitest'
import { type CheckResult, nurse } from '../../support/checks.ts'
import { photoBase64 as image } from '../../support/images.ts'
import { inProcess } from '../../support/service.ts'

it('applies a script to the next checks of its type, then the outcome of the options again', async () => {
  const { emulator, post } = inProcess({ outcomes: { liveness: 'review' } })
  const status = async () => (await post<CheckResult>('/api/v2/liveness', { image })).data.status

  emulator.checks.script('liveness', 'failed', { times: 2 })
  emulator.checks.script('liveness', 'passed', { times: 1 })
  const scripted = [await status(), await status(), await status(), await status(), await status()]

  expect(scripted).toEqual(['failed', 'failed', 'passed', 'review', 'review'])
})

it('applies a script without a number of times until clear is called', async () => {
  const { emulator, post } = inProcess()
  const status = async () => (await post<CheckResult>('/api/v2/liveness', { image })).data.status

  emulator.checks.script('liveness', 'failed')
  const scripted = [await status(), await status()]
  emulator.checks.clear()

  expect(scripted).toEqual(['failed', 'failed'])
  expect(await status()).toBe('passed')
})

it('does not apply a script to other types of check', async () => {
  const { emulator, post } = inProcess()
  emulator.checks.script('liveness', 'failed')

  const { data } = await post<CheckResult>('/api/v2/face-match', { image1: image, image2: image })

  expect(data.status).toBe('passed')
})

it.each([
  ['age', '/api/v2/age-verification', { dob: '1990-01-01', bands: [18] }, { bands: { '18': { verified: false } } }],
  [
    'location',
    '/api/v2/location',
    { latitude: 1, longitude: 1, expected_latitude: 1, expected_longitude: 1, radius_m: 5 },
    { match: false },
  ],
] as const)('prefers a script to what it would evaluate: %s', async (type, path, body, facts) => {
  const { emulator, post } = inProcess()
  emulator.checks.script(type, { status: 'failed', error: 'Scripted' })

  const { data } = await post<CheckResult>(path, body)

  expect(data).toMatchObject({
    status: 'failed',
    check: { status: 'failed', data: facts, error: { message: 'Scripted' } },
  })
})

it('finds any license number if the lookup is scripted', async () => {
  const { emulator, post } = inProcess()
  emulator.checks.script('credential', { data: { license: { status: 'suspended' } } }, { times: 1 })
  emulator.checks.script('credential', 'failed', { times: 1 })
  const lookUp = async () => {
    const query = { ...nurse, license_number: 'ANY-1', full_name: 'Anyone' }
    return (await post<CheckResult>('/api/v2/credential-verification', query)).data
  }

  const [found, failed] = [await lookUp(), await lookUp()]

  expect(found).toMatchObject({
    status: 'passed',
    check: {
      data: { mode: 'verify', match: true, license: { license_number: 'ANY-1', status: 'suspended' } },
    },
  })
  expect(failed).toMatchObject({ status: 'failed', check: { data: { match: false } } })
})
