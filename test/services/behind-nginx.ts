import { Agent } from 'undici'
import { onTestFinished } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import { images } from '../support/fixtures.ts'
import { Nginx, type NginxOptions } from '../support/nginx.ts'
import { selfSigned } from '../support/self-signed.ts'
import { testClient } from '../support/verification-client.ts'

export const born = { dob: '1990-12-10', bands: [18] }

export const upload = (bytes: number) => ({ image: Buffer.concat([images.jpeg, Buffer.alloc(bytes, 7)]) })

interface Settings extends Omit<NginxOptions, 'upstream'> {
  /** How often the emulator is listed as upstream. With 2, nginx may resend a request itself. @default 1 */
  readonly upstreams?: number
}

/** Starts an emulator behind nginx, and returns the client options to reach it. */
export async function emulatorBehindNginx({ upstreams = 1, ...settings }: Settings = {}) {
  const emulator = createEmulator({ members: [{ email: 'ada@example.test' }] })
  let server = await emulator.listen()
  onTestFinished(() => server.close())
  const port = Number(new URL(server.url).port)
  const nginx = await Nginx.start({ upstream: Array(upstreams).fill(server.url), ...settings })
  const dispatcher = new Agent({ connect: { ca: selfSigned.cert }, allowH2: settings.http2 === true })
  onTestFinished(() => dispatcher.destroy())
  const reach = { baseUrl: nginx.url, fetch: undefined, dispatcher }
  const { apiKey } = emulator.options.verification
  const clientWith = (options: Parameters<typeof testClient>[0] = {}) =>
    testClient({ apiKey, ...reach, ...options }).client
  return {
    emulator,
    nginx,
    reach,
    clientWith,
    leave: () => server.close(),
    async comeBack() {
      server = await emulator.listen({ port })
    },
  }
}
