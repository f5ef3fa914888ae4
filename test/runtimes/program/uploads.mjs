import { imageBytes } from './image.mjs'

/**
 * @typedef {import('./app.mjs').App} App
 * @typedef {import('identity-service-sdk').ImageInput} ImageInput
 */

/**
 * Uploads an image and returns what the service received.
 *
 * @param {App} app
 * @param {ImageInput} image
 * @param {import('identity-service-sdk').ImageRequestOptions} [options]
 */
async function upload({ client }, image, options) {
  const { check } = await client.checks.liveness({ image }, options)
  return /** @type {Record<string, unknown>} */ (check.data).received
}

function* pieces() {
  const bytes = imageBytes()
  yield bytes.subarray(0, 2)
  yield bytes.subarray(2, 70_000)
  yield bytes.subarray(70_000)
}

const base64 = () => btoa(Array.from(imageBytes(), (byte) => String.fromCharCode(byte)).join(''))

/** Images, in every form of input. */
export const uploads = {
  /** @param {App} app */
  bytes: (app) => upload(app, imageBytes()),

  /** @param {App} app */
  arrayBuffer: (app) => upload(app, imageBytes().buffer),

  /** @param {App} app */
  blob: (app) => upload(app, new Blob([imageBytes()])),

  /** @param {App} app */
  stream: (app) => upload(app, /** @type {ReadableStream} */ (new Response(imageBytes()).body)),

  /** @param {App} app */
  pieces: (app) =>
    upload(
      app,
      (async function* () {
        yield* pieces()
      })(),
    ),

  /** @param {App} app */
  dataUrl: (app) => upload(app, `data:image/jpeg;base64,${base64()}`),

  /** @param {App} app */
  named: (app) => upload(app, { data: imageBytes(), filename: 'Zoë "1".jpg', contentType: 'image/jpeg' }),

  /** @param {App} app */
  json: (app) => upload(app, imageBytes(), { encoding: 'json' }),

  /** @param {App} app */
  async progress(app) {
    /** @type {import('identity-service-sdk').UploadProgress[]} */
    const steps = []
    const received = await upload(app, imageBytes(), { onUploadProgress: (step) => void steps.push(step) })
    const { loaded, total } = steps.at(-1) ?? {}
    return { received, isComplete: loaded === total && steps.length > 1 }
  },

  /** @param {App} app */
  retried: (app) => upload(app, imageBytes(), { idempotencyKey: 'busy' }),

  /** @param {App} app */
  async tooLarge({ client, failureOf }) {
    return failureOf(client.checks.liveness({ image: new Uint8Array(20 * 2 ** 20) }))
  },

  /** @param {App} app */
  missingFile: ({ client, sdk, failureOf }) =>
    failureOf(client.checks.liveness({ image: sdk.root.imageFromFile('/no/such/file.jpg') })),

  /** @param {App} app */
  async file(app) {
    return app.settings.file && (await upload(app, app.sdk.root.imageFromFile(app.settings.file)))
  },

  /** @param {App} app */
  async retriedFile(app) {
    const image = app.sdk.root.imageFromFile(app.settings.file)
    return app.settings.file && (await upload(app, image, { idempotencyKey: 'busy' }))
  },
}
