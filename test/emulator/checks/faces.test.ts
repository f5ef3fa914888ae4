import { expect, it } from 'vitest'
import type { CheckResult } from '../support/checks.ts'
import { photoBase64 } from '../support/images.ts'
import { overHttp } from '../support/service.ts'

// Sections 2.3, 4.3 and 8: liveness and face match

const liveness = '/api/v2/liveness'
const faceMatch = '/api/v2/face-match'
const faces = { image1: photoBase64, image2: photoBase64 }

it('liveness passes with a live_score of 1 and the result live', async () => {
  const { post } = await overHttp()

  const { data } = await post<CheckResult>(liveness, { image: photoBase64 })

  expect(data.check).toMatchObject({ status: 'passed', score: 1 })
  expect(data.check.data).toEqual({ live_score: 1, result: 'live' })
})

it.each([0, 0.5, 0.999])('liveness fails with a live_score of %d', async (live_score) => {
  const { emulator, post } = await overHttp()
  emulator.checks.script('liveness', { data: { live_score } })

  const { status, data } = await post<CheckResult>(liveness, { image: photoBase64 })

  expect(status).toBe(200)
  expect(data).toMatchObject({ status: 'failed', check: { status: 'failed', data: { live_score } } })
  expect(data.check.error).toEqual({ message: expect.stringMatching(/./) })
})

it('a face match passes with its similarity as the score', async () => {
  const { post } = await overHttp()

  const { data } = await post<CheckResult>(faceMatch, faces)

  expect(data.check).toMatchObject({ score: 0.98, data: { similarity: 0.98, threshold: 0.95 } })
})

it.each([
  ['passed', 1, 0.95],
  ['passed', 0.95, 0.95],
  ['failed', 0.9499, 0.95],
  ['failed', 0, 0.95],
  ['failed', 0.98, 0.99],
])(
  'a face match has the status %s with a similarity of %d and a threshold of %d',
  async (status, similarity, threshold) => {
    const { emulator, post } = await overHttp()
    const data = threshold === 0.95 ? { similarity } : { similarity, threshold }
    emulator.checks.script('face_match', { data })

    const result = await post<CheckResult>(faceMatch, faces)

    expect(result.data).toMatchObject({ status, check: { status, data: { similarity, threshold } } })
  },
)

it('a face match is symmetric', async () => {
  const { post } = await overHttp()
  const other = btoa('other')
  const compare = async (image1: string, image2: string) =>
    (await post<CheckResult>(faceMatch, { image1, image2 })).data.check

  expect(await compare(photoBase64, other)).toEqual(await compare(other, photoBase64))
})
