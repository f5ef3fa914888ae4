import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { setImmediate as tick } from 'node:timers/promises'
import { Agent, fetch as undiciFetch } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { livenessCheck, standalone } from '../../support/fixtures.ts'
import { loopbackServer, success } from '../../support/loopback-server.ts'
import { testClient } from '../../support/verification-client.ts'
import { noise } from './uploaded-image.ts'

const context = new AsyncLocalStorage<string>()

/** An upload that notes the context of each place at which code of its caller runs. */
function notingUpload() {
  const noted = new Map<string, Set<string | undefined>>()
  const note = (place: string) => {
    const contexts = noted.get(place) ?? new Set()
    noted.set(place, contexts.add(context.getStore()))
  }
  async function* generator() {
    try {
      for (let chunks = 0; chunks < 5; chunks++) {
        note('generator')
        yield noise(70_000)
        await tick()
        note('generator, after a wait')
      }
    } finally {
      note('generator, end')
    }
  }
  let left = 5
  const stream = new Readable({
    read() {
      note('stream of Node')
      this.push(left-- > 0 ? noise(70_000) : null)
    },
    destroy(error, done) {
      note('stream of Node, end')
      done(error)
    },
  })
  let leftOfWeb = 5
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    note('stream of the web')
    if (leftOfWeb-- > 0) controller.enqueue(noise(70_000))
    else controller.close()
  }
  const web = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
  const create = () => {
    note('function')
    return generator()
  }
  return { noted, images: [stream, web, create], onUploadProgress: () => note('progress') }
}

/** A `fetch` over one connection. */
function fetchOverOneConnection() {
  const dispatcher = new Agent({ connections: 1 })
  onTestFinished(() => dispatcher.close())
  return ((url: string, init: object) => undiciFetch(url, { ...init, dispatcher })) as unknown as typeof fetch
}

it.each([
  ['undici', () => ({ fetch: undefined, connections: 1 })],
  ['fetch', () => ({ fetch: fetchOverOneConnection() })],
])(
  '%s: code of the caller runs in the async context of its call, also if calls share a connection',
  async (_, options) => {
    const server = await loopbackServer(success(standalone(livenessCheck())))
    const { client } = testClient({ baseUrl: server.url, ...options() })
    onTestFinished(() => client.close())
    const names = ['a', 'b', 'c']

    const uploads = names.map((name) => {
      const { noted, images, onUploadProgress } = notingUpload()
      const calls = images.map((image) =>
        context.run(name, () => client.checks.liveness({ image }, { onUploadProgress })),
      )
      return { noted, done: Promise.all(calls) }
    })
    await Promise.all(uploads.map(({ done }) => done))

    const places = uploads.map(({ noted }) => Object.fromEntries([...noted].map(([place, seen]) => [place, [...seen]])))
    expect(places).toEqual(
      names.map((name) => ({
        function: [name],
        generator: [name],
        'generator, after a wait': [name],
        'generator, end': [name],
        'stream of Node': [name],
        'stream of Node, end': [name],
        'stream of the web': [name],
        progress: [name],
      })),
    )
  },
)
