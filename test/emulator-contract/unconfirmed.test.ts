import { expect, it } from 'vitest'
import { form, listening, photo, photoBase64, type Session } from './over-http.ts'

interface Workflow {
  readonly id: string
  readonly name: string
  readonly features: readonly string[]
}

// Sections 2.7 and 4.2: paths that the contract infers, payloads that it does not show

it('a workflow is created, read, listed, changed and deleted', async () => {
  const { call, get, patch, post } = await listening()

  const { data: created } = await post<Workflow>('/api/v2/workflows', {
    name: 'Adults',
    features: ['age', 'location'],
  })
  expect(created).toEqual({ id: expect.stringMatching(/./), name: 'Adults', features: ['age', 'location'] })
  const path = `/api/v2/workflows/${created.id}`
  expect((await get(path)).data).toEqual(created)
  expect((await get<Workflow[]>('/api/v2/workflows')).data).toContainEqual(created)

  const changed = { ...created, name: 'Grown-ups' }
  expect((await patch(path, { name: 'Grown-ups' })).data).toEqual(changed)
  expect((await get(path)).data).toEqual(changed)

  expect((await call('DELETE', path)).status).toBe(200)
  expect((await get(path)).error?.code).toBe('workflow_not_found')
})

it('a session runs the checks of the workflow that it names', async () => {
  const { post } = await listening()
  const { data: workflow } = await post<Workflow>('/api/v2/workflows', { name: 'Adults', features: ['age'] })

  const { data } = await post<Session>('/api/v2/session', { workflow_id: workflow.id })

  expect(data.features).toEqual(['age'])
})

it.each(['GET', 'PATCH', 'DELETE'])('%s of an unknown workflow is 404 workflow_not_found', async (method) => {
  const { call } = await listening()

  const { status, error } = await call(method, '/api/v2/workflows/wf_foreign', {
    ...(method === 'PATCH' && { json: {} }),
  })

  expect([status, error?.code]).toEqual([404, 'workflow_not_found'])
})

// Section 4.6: paths without shapes

const burst = (frames: number) => ({ frames: Array(frames).fill(photoBase64) })

const takers = ['/api/v2/antispoof', '/api/v2/antispoof/identity', '/api/v2/face-uniqueness']

it('antispoof returns a human_score for a single image and for a burst', async () => {
  const { post, call } = await listening()
  const score = { human_score: expect.any(Number) }

  expect((await post('/api/v2/antispoof', { image: photoBase64 })).data).toMatchObject(score)
  expect((await post('/api/v2/antispoof', burst(3))).data).toMatchObject(score)
  expect((await call('POST', '/api/v2/antispoof', { body: form({ image: photo }) })).data).toMatchObject(
    score,
  )
})

it('antispoof/identity returns a uuid that stays the same', async () => {
  const { post } = await listening()
  const uuidOf = async () =>
    Object.values((await post<object>('/api/v2/antispoof/identity', { image: photoBase64 })).data).find(
      (value) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value),
    )

  const uuid = await uuidOf()
  expect(uuid).toEqual(expect.any(String))
  expect(await uuidOf()).toBe(uuid)
})

it('DELETE face-uniqueness removes an enrolled face, and is 404 not_found for any other', async () => {
  const { post, call } = await listening()
  const { data } = await post<{ svc_uuid: string }>('/api/v2/face-uniqueness', { image: photoBase64 })

  expect((await call('DELETE', `/api/v2/face-uniqueness/${data.svc_uuid}`)).status).toBe(200)
  const { status, error } = await call('DELETE', `/api/v2/face-uniqueness/${data.svc_uuid}`)

  expect([status, error?.code]).toEqual([404, 'not_found'])
})

// Sections 4.6 and 8

it.each(takers)('%s takes bursts of 3 to 8 frames, as files too', async (path) => {
  const { post, call } = await listening()
  const files = (frames: number) => {
    const made = new FormData()
    for (let i = 0; i < frames; i++) made.append('frames', new Blob([photo]), `${i}.jpg`)
    return made
  }

  for (const frames of [3, 8]) {
    expect((await post(path, burst(frames))).status).toBe(200)
    expect((await call('POST', path, { body: files(frames) })).status).toBe(200)
  }
  expect((await call('POST', path, { body: files(1) })).error?.code).toBe('invalid_frames')
  expect((await call('POST', path, { body: files(2) })).error?.code).toBe('invalid_frames')
  expect((await call('POST', path, { body: files(9) })).error?.code).toBe('too_many_frames')
})

it.each(
  takers.flatMap((path) =>
    (
      [
        ['no image at all', {}, 'no_images_provided'],
        ['an empty burst', burst(0), 'frames_required'],
        ['a burst that is no list', { frames: 3 }, 'frames_required'],
        ['1 frame', burst(1), 'invalid_frames'],
        ['2 frames', burst(2), 'invalid_frames'],
        ['frames that are no images', { frames: [photoBase64, photoBase64, 7] }, 'invalid_frames'],
        ['9 frames', burst(9), 'too_many_frames'],
      ] as const
    ).map((row) => [path, ...row] as const),
  ),
)('%s with %s is 400', async (path, _, body, code) => {
  const { emulator, post } = await listening()

  const { status, error } = await post(path, body)

  expect([status, error?.code]).toEqual([400, code])
  expect(emulator.ledger).toEqual([])
})
