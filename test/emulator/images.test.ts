import { expect, it } from 'vitest'
import { maxImageBytes } from '../../src/contract/service.ts'
import { emulated, formOf } from './emulated.ts'

const image = btoa('image')
const license = { license_type: 'Registered Nurse', license_state: 'CA', license_number: 'RN-482913' }

const endpoints: [string, readonly string[], Record<string, string>][] = [
  ['/api/v2/id-verification', ['front_image'], {}],
  ['/api/v2/liveness', ['image'], {}],
  ['/api/v2/face-match', ['image1', 'image2'], {}],
  ['/api/v2/kyc-credential', ['front_image', 'selfie'], license],
]

it.each(endpoints)('%s takes images as files, as base64 and as data URLs', async (path, names, others) => {
  const { call, post } = emulated()
  const form = formOf(...names)
  for (const [name, value] of Object.entries(others)) form.set(name, value)
  const base64 = Object.fromEntries(names.map((name) => [name, image]))
  const dataUrls = Object.fromEntries(names.map((name) => [name, `data:image/jpeg;base64,${image}`]))

  expect((await call('POST', path, { form })).data).toMatchObject({ status: 'passed' })
  expect((await post(path, { ...base64, ...others })).data).toMatchObject({ status: 'passed' })
  expect((await post(path, { ...dataUrls, ...others })).data).toMatchObject({ status: 'passed' })
})

it.each(endpoints)('%s refuses a request without one of its images', async (path, names, others) => {
  const { emulator, call, post } = emulated()

  for (const missing of names) {
    const kept = names.filter((name) => name !== missing)
    const form = formOf(...kept)
    for (const [name, value] of Object.entries(others)) form.set(name, value)
    const json = { ...others, ...Object.fromEntries(kept.map((name) => [name, image])) }
    const emptyFile = formOf(...kept)
    for (const [name, value] of Object.entries(others)) emptyFile.set(name, value)
    emptyFile.set(missing, new Blob([]), 'empty.jpg')

    const refused = {
      status: 400,
      error: { code: 'validation_error', message: expect.stringContaining(missing) },
    }
    expect(await call('POST', path, { form })).toMatchObject(refused)
    expect(await post(path, json)).toMatchObject(refused)
    expect(await call('POST', path, { form: emptyFile })).toMatchObject(refused)
  }
  expect(emulator.ledger).toEqual([])
})

it('takes base64 as a text field of a form', async () => {
  const { call } = emulated()
  const form = new FormData()
  form.set('image', image)

  expect((await call('POST', '/api/v2/liveness', { form })).status).toBe(200)
})

it('does not look at what is in an image', async () => {
  const { call, post } = emulated()
  const form = new FormData()
  form.set('image', new Blob(['not an image at all']), 'notes.txt')

  expect((await call('POST', '/api/v2/liveness', { form })).status).toBe(200)
  expect((await post('/api/v2/liveness', { image: btoa('nor is this') })).status).toBe(200)
})

it('refuses a text that is neither base64 nor a data URL, an image sent twice, and a form that is none', async () => {
  const { call, post } = emulated()
  const twice = formOf('image')
  twice.append('image', new Blob(['another']), 'another.jpg')
  const broken = { headers: { 'content-type': 'multipart/form-data; boundary=x' } }

  const refused = { status: 400, error: { code: 'validation_error' } }
  expect(await post('/api/v2/liveness', { image: 'https://elsewhere.example/me.jpg' })).toMatchObject(refused)
  expect(await post('/api/v2/liveness', { image: { data: image } })).toMatchObject(refused)
  expect(await call('POST', '/api/v2/liveness', { form: twice })).toMatchObject(refused)
  expect(await post('/api/v2/liveness', {}, broken)).toMatchObject(refused)
})

it('refuses an image that reaches the limit, and takes one that is a byte smaller', async () => {
  const { emulator, call, post } = emulated()
  const formWith = (size: number) => {
    const form = new FormData()
    form.set('image', new Blob([new Uint8Array(size)]), 'large.jpg')
    return form
  }
  const jsonWith = (size: number) => ({ image: Buffer.alloc(size).toString('base64') })

  const refused = { status: 413, error: { code: 'image_too_large' } }
  expect(await call('POST', '/api/v2/liveness', { form: formWith(maxImageBytes) })).toMatchObject(refused)
  expect(await post('/api/v2/liveness', jsonWith(maxImageBytes))).toMatchObject(refused)
  expect(emulator.ledger).toEqual([])
  expect((await call('POST', '/api/v2/liveness', { form: formWith(maxImageBytes - 1) })).status).toBe(200)
  expect((await post('/api/v2/liveness', jsonWith(maxImageBytes - 1))).status).toBe(200)
})

it('answers with plausible data, judged by the rules of the contract', async () => {
  const { post } = emulated()
  const check = async (path: string, body: object) =>
    ((await post(path, body)).data as { check: unknown }).check

  expect(await check('/api/v2/id-verification', { front_image: image })).toMatchObject({
    type: 'id_verification',
    score: 0.98,
    data: {
      fields: { full_name: 'Alex Sample', date_of_birth: '1990-04-12' },
      portrait: expect.stringMatching(/^iVBOR/),
      dob: '1990-04-12',
      authenticity: { score: 0.98 },
    },
    error: null,
  })
  expect(await check('/api/v2/liveness', { image })).toMatchObject({
    score: 1,
    data: { live_score: 1, result: 'live' },
  })
  expect(await check('/api/v2/face-match', { image1: image, image2: image })).toMatchObject({
    score: 0.98,
    data: { similarity: 0.98, threshold: 0.95 },
  })
})

it.each([
  ['liveness', '/api/v2/liveness', { live_score: 0.999 }, 'failed'],
  ['liveness', '/api/v2/liveness', { live_score: 1 }, 'passed'],
  ['face_match', '/api/v2/face-match', { similarity: 0.949 }, 'failed'],
  ['face_match', '/api/v2/face-match', { similarity: 0.95 }, 'passed'],
  ['face_match', '/api/v2/face-match', { threshold: 0.99 }, 'failed'],
] as const)('a scripted %s at %s with %j has %s', async (type, path, data, status) => {
  const { emulator, post } = emulated()
  emulator.checks.script(type, { data })

  const reply = await post(path, { image, image1: image, image2: image })

  expect(reply.data).toMatchObject({ status, check: { status, data } })
})

it('scripts the next checks of a type, then every one after them', async () => {
  const { emulator, post } = emulated({ outcomes: { liveness: 'review' } })
  const status = async () => ((await post('/api/v2/liveness', { image })).data as { status: string }).status

  emulator.checks.script('liveness', 'failed', { times: 2 })
  emulator.checks.script('liveness', 'passed', { times: 1 })
  const scripted = [await status(), await status(), await status(), await status(), await status()]
  emulator.checks.script('liveness', 'failed')
  const lasting = [await status(), await status()]
  emulator.checks.clear()

  expect(scripted).toEqual(['failed', 'failed', 'passed', 'review', 'review'])
  expect(lasting).toEqual(['failed', 'failed'])
  expect(await status()).toBe('passed')
})

it('leaves other types of check alone, and refuses a script that cannot be', async () => {
  const { emulator, post } = emulated()
  emulator.checks.script('liveness', 'failed')

  const reply = await post('/api/v2/face-match', { image1: image, image2: image })

  expect(reply.data).toMatchObject({ status: 'passed' })
  expect(() => emulator.checks.script('face' as never, 'failed')).toThrow('there is no check of type')
  expect(() => emulator.checks.script('liveness', 'failed', { times: 0 })).toThrow('times')
})

it.each([
  [
    'age',
    '/api/v2/age-verification',
    { dob: '1990-01-01', bands: [18] },
    { bands: { '18': { verified: false } } },
  ],
  [
    'location',
    '/api/v2/location',
    { latitude: 1, longitude: 1, expected_latitude: 1, expected_longitude: 1, radius_m: 5 },
    { match: false },
  ],
] as const)('overrules what it would have judged of a scripted %s', async (type, path, body, data) => {
  const { emulator, post } = emulated()
  emulator.checks.script(type, { status: 'failed', error: 'told so' })

  const reply = await post(path, body)

  expect(reply.data).toMatchObject({
    status: 'failed',
    check: { status: 'failed', data, error: { message: 'told so' } },
  })
})
