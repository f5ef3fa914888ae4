import { VerificationClient, type VerificationClientOptions } from '../../src/index.ts'
import { timing } from '../../src/runtime/timing.ts'
import { exchange } from './request.ts'
import { epoch, type Process } from './world.ts'

/** A request as the service receives it. */
interface Received {
  readonly key: string
  readonly body: string
}

/** A response of the service. */
export interface Responded {
  readonly status: number
  /** The text in place of the envelope, if something else than the service responds. */
  readonly page?: string
}

interface Served {
  readonly serve: (received: Received) => Responded
  readonly options?: Partial<VerificationClientOptions>
}

const check = { type: 'location', status: 'passed', score: 1, data: {}, error: null }
const result = { session_id: 'sess_1', status: 'passed', check }

function responseOf({ status, page }: Responded): Response {
  if (page !== undefined) return new Response(page, { status, headers: { 'content-type': 'text/html' } })
  const error = { code: `http_${status}`, message: 'no' }
  const envelope = status < 300 ? { success: true, data: result, error: null } : { success: false, data: null, error }
  return Response.json(envelope, { status, headers: { 'x-request-id': 'req_1' } })
}

/** A client of a process, whose requests the simulated service receives. */
export function clientOf(process: Process, served: Served): VerificationClient {
  const fetch = (_: unknown, init: RequestInit = {}): Promise<Response> => {
    const received = {
      key: new Headers(init.headers).get('idempotency-key') ?? '',
      body: typeof init.body === 'string' ? init.body : new TextDecoder().decode(init.body as Uint8Array),
    }
    const { signal } = init
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      exchange<Responded>(process, {
        label: `POST ${received.body} with key ${received.key}`,
        serve: () => served.serve(received),
        show: ({ status }) => String(status),
        proxied: { status: 502, page: '<h1>Bad gateway</h1>' },
        mayDuplicate: true,
        error: (part) => {
          const code = part === 'request' ? 'ECONNREFUSED' : 'ECONNRESET'
          return Object.assign(new TypeError('fetch failed'), { cause: { code } })
        },
      }).then((response) => resolve(responseOf(response)), reject)
    })
  }
  const options = { baseUrl: 'https://id.example.test', apiKey: 'key_test_0123456789abcdef', fetch }
  const settings: object = { ...options, ...served.options, [timing]: process.timing }
  return new VerificationClient(settings)
}

/** Loads the code that a client loads at its first call. */
export async function loadClient(): Promise<void> {
  const fetch = async () => responseOf({ status: 200 })
  const client = new VerificationClient({
    baseUrl: 'https://id.example.test',
    apiKey: 'key_test_0123',
    fetch,
  })
  await client.checks.location({ latitude: 0, longitude: 0 })
  await new Promise((resolve) => setTimeout(resolve, 5))
}

export const isoAt = (ms: number) => new Date(epoch + ms).toISOString()
