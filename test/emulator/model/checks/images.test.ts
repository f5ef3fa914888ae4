import { expect, it } from 'vitest'
import { nurse } from '../../support/checks.ts'
import { form, images, photo, photoBase64 } from '../../support/images.ts'
import { inProcess, overHttp } from '../../support/service.ts'

// Section 4.3: how images are sent

const liveness = '/api/v2/liveness'

it('accepts base64 as a text field of a form', async () => {
  const { call } = await overHttp()

  expect((await call('POST', liveness, { body: form({ image: photoBase64 }) })).status).toBe(200)
})

it('rejects what is no image of any format, and verifies no other content', async () => {
  const { call, post } = await overHttp()
  const text = new FormData()
  text.set('image', new Blob(['not an image at all']), 'notes.txt')

  expect((await call('POST', liveness, { body: text })).status).toBe(200)
  expect((await post(liveness, { image: btoa('also not an image') })).status).toBe(200)
  text.set('image', new Blob(['%PDF-1.7']), 'photo.jpg')
  for (const pdf of [await call('POST', liveness, { body: text }), await post(liveness, { image: btoa('%PDF-1.7') })])
    expect([pdf.status, pdf.error?.message]).toEqual([400, 'image: is a PDF, not an image'])
})

it.each([
  ['/api/v2/id-verification', ['front_image'], {}],
  [liveness, ['image'], {}],
  ['/api/v2/face-match', ['image1', 'image2'], {}],
  ['/api/v2/kyc-credential', ['front_image', 'selfie'], nurse],
] as const)(
  '%s rejects a request without one of %j, or with an empty one, names it and charges nothing',
  async (path, names, others) => {
    const { emulator, call, post } = await overHttp()

    for (const missing of names) {
      const kept = names.filter((name) => name !== missing)
      // A form needs at least one part.
      const files = form({ note: 'x', ...others, ...images(kept, photo) })
      const emptyFile = form({ ...others, ...images(kept, photo), [missing]: new Uint8Array() })
      const responses = [
        await call('POST', path, { body: files }),
        await call('POST', path, { body: emptyFile }),
        await post(path, { ...others, ...images(kept, photoBase64) }),
      ]
      for (const { status, error } of responses)
        expect([status, error?.code, error?.message]).toEqual([
          400,
          'validation_error',
          expect.stringContaining(missing),
        ])
    }
    expect(emulator.ledger).toEqual([])
  },
)

it.each(['not base64 at all!', 'https://elsewhere.example/selfie.jpg', 42, null, { data: photoBase64 }])(
  'rejects an image that is neither base64 nor a data URL with 400 validation_error: %j',
  async (image) => {
    const { post } = await overHttp()

    const { status, error } = await post(liveness, { image })

    expect([status, error?.code]).toEqual([400, 'validation_error'])
  },
)

it('rejects an image that is sent twice with 400 validation_error', async () => {
  const { call } = await overHttp()
  const twice = form({ image: photo })
  twice.append('image', new Blob(['another']), 'another.jpg')

  const { status, error } = await call('POST', liveness, { body: twice })

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})

// Section 8. The contract does not say which megabyte it means: what both readings reject is rejected.

const limit = 20 * 1024 * 1024
const encoded = 'A'.repeat((limit / 3) * 4 + 4)

it('accepts a file that is a byte under 20 MiB, and rejects one of 20 MiB with 413 image_too_large', async () => {
  const { call, emulator } = inProcess()
  const send = (size: number) => call('POST', liveness, { body: form({ image: new Uint8Array(size) }) })

  expect((await send(limit - 1)).status).toBe(200)
  expect(await send(limit)).toMatchObject({ status: 413, error: { code: 'image_too_large' } })
  expect(emulator.ledger).toHaveLength(1)
})

it.each([
  [liveness, 'base64', { image: encoded }],
  [liveness, 'a data URL', { image: `data:image/jpeg;base64,${encoded}` }],
  ['/api/v2/antispoof', 'a frame of a burst', { frames: ['AAAA', 'AAAA', encoded] }],
])('%s rejects an image of 20 MiB as %s with 413 image_too_large, and charges nothing', async (path, _, body) => {
  const { emulator, post } = inProcess()

  const { status, error } = await post(path, body)

  expect([status, error?.code]).toEqual([413, 'image_too_large'])
  expect(emulator.ledger).toEqual([])
})
