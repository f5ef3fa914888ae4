import { expect, it } from 'vitest'
import { form, photo, photoBase64 } from '../support/images.ts'
import { overHttp } from '../support/service.ts'

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

it('antispoof returns a human_score for a single image and for a burst', async () => {
  const { post, call } = await overHttp()
  const score = { human_score: expect.any(Number) }

  expect((await post(antispoof, { image: photoBase64 })).data).toMatchObject(score)
  expect((await post(antispoof, burst(3))).data).toMatchObject(score)
  expect((await call('POST', antispoof, { body: form({ image: photo }) })).data).toMatchObject(score)
})

it('antispoof/identity returns the same uuid each time', async () => {
  const { post } = await overHttp()
  const uuidOf = async () =>
    Object.values((await post<object>(antispoofIdentity, { image: photoBase64 })).data).find((value) =>
      /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value),
    )

  const uuid = await uuidOf()
  expect(uuid).toEqual(expect.any(String))
  expect(await uuidOf()).toBe(uuid)
})

it('face-uniqueness enrolls a face, and DELETE removes it once', async () => {
  const { post, call } = await overHttp()
  const { uuid } = (await post<{ uuid: string }>(antispoofIdentity, { image: photoBase64 })).data
  const remove = async () => {
    const { status, error } = await call('DELETE', `${faceUniqueness}/${uuid}`)
    return [status, error?.code]
  }

  expect(await remove()).toEqual([404, 'not_found'])
  const { data } = await call('POST', faceUniqueness, { body: form({ image: photo }) })
  expect(data).toMatchObject({ svc_uuid: uuid })
  expect(await remove()).toEqual([200, undefined])
  expect(await remove()).toEqual([404, 'not_found'])
})

// Sections 4.6 and 8: bursts

const paths = [antispoof, antispoofIdentity, faceUniqueness]

it.each(paths)('%s accepts bursts of 3 to 8 frames, in JSON and in a form', async (path) => {
  const { post, call } = await overHttp()

  for (const frames of [3, 8]) {
    expect((await post(path, burst(frames))).status).toBe(200)
    expect((await call('POST', path, { body: burstForm(frames) })).status).toBe(200)
  }
})

it.each(
  paths.flatMap((path) =>
    (
      [
        ['neither image nor frames', {}, 'no_images_provided'],
        ['an empty burst', burst(0), 'frames_required'],
        ['a burst that is not a list', { frames: 3 }, 'frames_required'],
        ['1 frame', burst(1), 'invalid_frames'],
        ['2 frames', burst(2), 'invalid_frames'],
        ['frames that are not images', { frames: [photoBase64, photoBase64, 7] }, 'invalid_frames'],
        ['9 frames', burst(9), 'too_many_frames'],
        ['1 frame in a form', burstForm(1), 'invalid_frames'],
        ['2 frames in a form', burstForm(2), 'invalid_frames'],
        ['9 frames in a form', burstForm(9), 'too_many_frames'],
      ] as const
    ).map((row) => [path, ...row] as const),
  ),
)('%s rejects %s with 400, and charges nothing', async (path, _, body, code) => {
  const { emulator, call } = await overHttp()

  const sent = body instanceof FormData ? { body } : { json: body }
  const { status, error } = await call('POST', path, sent)

  expect([status, error?.code]).toEqual([400, code])
  expect(emulator.ledger).toEqual([])
})
