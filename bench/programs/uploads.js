// Uploads a file several times and prints what it cost. Arguments: the row, the origin, the file, the count.
import { createReadStream, openAsBlob, statSync } from 'node:fs'
import { open } from 'node:fs/promises'

const [way = '', origin = '', path = '', often = '1'] = process.argv.slice(2)
const size = statSync(path).size
const chunkBytes = 256 * 1024

/** Each row loads only what it uses, so that a process contains nothing of the other rows. */
/** @type {Record<string, () => Promise<(path: string, size: number) => Promise<unknown>>>} */
const ways = {
  async raw() {
    const { Pool } = await (await import('../own.js')).ownDependency('undici')
    const pool = new Pool(origin)
    return async (file, length) => {
      const body = createReadStream(file, { highWaterMark: chunkBytes })
      const headers = { 'content-type': 'image/jpeg', 'content-length': String(length) }
      const response = await pool.request({ path: '/upload', method: 'POST', headers, body })
      return response.body.json()
    }
  },
  async own() {
    const { sdk } = await import('../own.js')
    const client = new sdk.VerificationClient({ baseUrl: origin, apiKey: 'key_bench_0123456789' })
    return (file) => client.checks.liveness({ image: sdk.imageFromFile(file) })
  },
  async ownOverFetch() {
    const { sdk } = await import('../own.js')
    const client = new sdk.VerificationClient({ baseUrl: origin, apiKey: 'key_bench_0123456789', fetch })
    return (file) => client.checks.liveness({ image: sdk.imageFromFile(file) })
  },
  async formData() {
    const { ownDependency } = await import('../own.js')
    const { Pool } = await ownDependency('undici')
    const { default: FormDataStream } = await ownDependency('form-data')
    const { PassThrough } = await import('node:stream')
    const pool = new Pool(origin)
    return async (file) => {
      const form = new FormDataStream()
      form.append('image', createReadStream(file))
      const headers = form.getHeaders()
      const response = await pool.request({
        path: '/upload',
        method: 'POST',
        headers,
        body: form.pipe(new PassThrough()),
      })
      return response.body.json()
    }
  },
  async fetchForm() {
    return async (file) => {
      const form = new FormData()
      form.append('image', await openAsBlob(file), 'image.jpg')
      return (await fetch(`${origin}/upload`, { method: 'POST', body: form })).json()
    }
  },
  async fetchStream() {
    return async (file) => {
      const handle = await open(file)
      const body = new ReadableStream(
        {
          async pull(controller) {
            const { buffer, bytesRead } = await handle.read(new Uint8Array(chunkBytes))
            if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead))
            await handle.close()
            controller.close()
          },
        },
        { highWaterMark: 0 },
      )
      const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'image/jpeg' } }
      return (await fetch(`${origin}/upload`, /** @type {RequestInit} */ (init))).json()
    }
  },
  async openai() {
    const { peer } = await import('../peers.js')
    const { default: OpenAI } = await peer('openai')
    const client = new OpenAI({ apiKey: 'bench', baseURL: origin })
    return (file) => client.files.create({ file: createReadStream(file), purpose: 'vision' })
  },
}

const upload = await /** @type {() => Promise<(path: string, size: number) => Promise<unknown>>} */ (ways[way])()
// The first upload loads code, so it is not measured.
await upload(path, size)
globalThis.gc?.()
await new Promise((resolve) => setTimeout(resolve, 50))
globalThis.gc?.()

const before = process.cpuUsage()
for (let i = 0; i < Number(often); i++) await upload(path, size)
const { user, system } = process.cpuUsage(before)
console.log(
  JSON.stringify({
    cpu: (user + system) / 1000 / Number(often),
    memory: process.resourceUsage().maxRSS / 1024,
  }),
)
process.exit()
