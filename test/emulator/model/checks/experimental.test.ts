import { expect, it } from 'vitest'
import { photo, photoBase64 } from '../../support/images.ts'
import { inProcess, overHttp } from '../../support/service.ts'

// Section 4.6: the contract shows no request and no response of these paths

const antispoof = '/api/v2/antispoof'
const antispoofIdentity = '/api/v2/antispoof/identity'
const faceUniqueness = '/api/v2/face-uniqueness'

const burst = (frames: number) => ({ frames: Array(frames).fill(photoBase64) })

const burstForm = (frames: number) => {
  const data = new FormData()
  for (let i = 0; i < frames; i++) data.append('frames', new Blob([photo]), `${i}.jpg`)
  return data
}

// Sections 4.6 and 8: bursts

it.each([
  ['neither image nor frames', {}, 'no_images_provided'],
  ['an empty burst', burst(0), 'frames_required'],
  ['a burst that is not a list', { frames: 3 }, 'frames_required'],
  ['2 frames', burst(2), 'invalid_frames'],
  ['frames that are not images', { frames: [photoBase64, photoBase64, 7] }, 'invalid_frames'],
  ['9 frames', burst(9), 'too_many_frames'],
  ['1 frame in a form', burstForm(1), 'invalid_frames'],
  ['2 frames in a form', burstForm(2), 'invalid_frames'],
  ['9 frames in a form', burstForm(9), 'too_many_frames'],
] as const)('each operation rejects %s with 400, and charges nothing', async (_, body, code) => {
  const { emulator, call } = inProcess()
  const sent = body instanceof FormData ? { body } : { json: body }

  for (const path of [antispoof, antispoofIdentity, faceUniqueness])
    expect(await call('POST', path, sent)).toMatchObject({ status: 400, error: { code } })
  expect(emulator.ledger).toEqual([])
})

it.each([
  [antispoof, { human_score: expect.any(Number) }],
  [antispoofIdentity, { human_score: expect.any(Number), uuid: expect.any(String) }],
  [faceUniqueness, { svc_uuid: expect.any(String) }],
])('%s returns the same result for an image and for bursts of 3 to 8 frames of a person', async (path, result) => {
  const { post } = await overHttp()

  const responses = [await post(path, { image: photoBase64 }), await post(path, burst(3)), await post(path, burst(8))]

  for (const { status, data } of responses) {
    expect(status).toBe(200)
    expect(data).toEqual(result)
    expect(data).toEqual(responses[0]?.data)
  }
})

it('deleting a face removes it', async () => {
  const { call, post } = await overHttp()
  const { svc_uuid } = (await post<{ svc_uuid: string }>(faceUniqueness, { image: photoBase64 })).data
  const remove = () => call('DELETE', `${faceUniqueness}/${svc_uuid}`)

  expect([(await remove()).status, (await remove()).status]).toEqual([200, 404])
})
