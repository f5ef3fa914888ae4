import type { Dispatcher } from 'undici'
import { expect, it } from 'vitest'
import {
  createTokenManager,
  createWebhookHandler,
  imageFromFile,
  isSdkError,
  memoryStore,
  type Store,
  signWebhook,
  type TokenSet,
} from '../../src/index.ts'
import { postgresStore } from '../../src/stores-postgres.ts'
import { redisStore } from '../../src/stores-redis.ts'
import { signedIn } from '../oidc/managed.ts'
import { showOnlyOurWords } from '../support/error-detail.ts'
import { hookRecorder } from '../support/hook-recorder.ts'
import { printed } from '../support/printed.ts'
import { scriptedFetch } from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { testClient } from '../support/verification-client.ts'

showOnlyOurWords()

const path = '/home/CANARY/passport of Canary.jpg'
const url = 'https://bucket.example.test/x?X-Amz-Signature=CANARY0123'
const message = `ENOENT: cannot open '${path}' or ${url}: body {"name": "Canary"} token sk_CANARY_1 CANARY`

class RequestBody {
  readonly body = message
  toString() {
    return message
  }
  toJSON() {
    return { message }
  }
}

const withCause = (cause: unknown) => new Error(message, { cause })

function refuse(): never {
  throw new Error(message)
}

/** What the caller's code, a driver or the platform may throw. */
const thrown: Readonly<Record<string, () => unknown>> = {
  'an error with properties': () =>
    Object.assign(new TypeError(message), {
      path,
      url,
      code: 'canary lower',
      options: { headers: [message] },
    }),
  'an error with a name and a code': () =>
    Object.assign(new Error(message), { name: 'canary of a name', code: 'ENOENT', errno: -2, path }),
  'an error with nested causes': () =>
    withCause(withCause(withCause(withCause(Object.assign(new Error(message), { body: message }))))),
  'an error whose stack was replaced': () => Object.assign(new Error('no'), { stack: message }),
  'an AggregateError': () => new AggregateError([new Error(message), withCause(message)], message),
  'a DOMException': () => new DOMException(message, 'NetworkError'),
  'an object of a class': () => new RequestBody(),
  'a string': () => message,
  'a token': () => 'sk_CANARY_1',
  'a plain object': () => ({ message: { text: message }, body: message }),
  'a function': () => Object.assign(refuse, { message }),
  'a number': () => 5,
  null: () => null,
  undefined: () => undefined,
}

const raise = (value: unknown) => () => {
  throw value
}
const reject = (value: unknown) => async () => {
  throw value
}

const client = (options: Parameters<typeof testClient>[0]) => testClient({ maxRetries: 0, ...options }).client

const failingStore = (value: unknown): Store => ({
  get: reject(value),
  set: reject(value),
  compareAndSet: raise(value),
  take: reject(value),
  delete: raise(value),
  compareAndDelete: reject(value),
})

const liveness = (image: unknown, encoding: 'multipart' | 'json') =>
  client({ fetch: scriptedFetch().fetch }).checks.liveness({ image } as never, { encoding })

const bytes = new Uint8Array(64)

const failingStream = (value: unknown) =>
  (async function* () {
    yield bytes
    throw value
  })()

const metadata = (value: object) => client({ fetch: scriptedFetch().fetch }).sessions.create({ metadata: value })

const secret = 'whsec_0123456789'
const event = { event_id: 'evt_1', type: 'verification.approved', session_id: 'sess_1' }

/** Each way in which a value that other code throws can get into an error, as a call that fails with it. */
const entries: Readonly<Record<string, (value: unknown) => PromiseLike<unknown>>> = {
  'fetch, synchronously': (value) => client({ fetch: raise(value) }).sessions.retrieve('s'),
  fetch: (value) => client({ fetch: reject(value) }).sessions.retrieve('s'),
  'fetch, in a billable call': (value) =>
    client({ fetch: reject(value) }).checks.age({ dob: '2001-05-17', bands: [18] }),
  'the body of a response': (value) => {
    const body = new ReadableStream({ pull: raise(value) })
    return client({ fetch: async () => new Response(body) }).sessions.retrieve('s')
  },
  'a dispatcher, synchronously': (value) =>
    client({
      fetch: undefined,
      dispatcher: { dispatch: raise(value) } as unknown as Dispatcher,
    }).sessions.retrieve('s'),
  'a dispatcher': (value) => {
    const dispatch: Dispatcher['dispatch'] = (_, handler) => {
      handler.onResponseError?.({} as never, value as Error)
      return true
    }
    const dispatcher = { dispatch } as unknown as Dispatcher
    return client({ fetch: undefined, dispatcher }).sessions.retrieve('s')
  },
  'an apiKey function, synchronously': (value) => client({ apiKey: raise(value) }).sessions.retrieve('s'),
  'an apiKey function': (value) => client({ apiKey: reject(value) }).sessions.retrieve('s'),
  'an image function, synchronously': (value) => liveness({ data: raise(value) }, 'multipart'),
  'an image function': (value) => liveness({ data: reject(value) }, 'json'),
  'an image stream': (value) => liveness(failingStream(value), 'multipart'),
  'an image stream in JSON': (value) => liveness(failingStream(value), 'json'),
  'a web stream of an image': (value) => liveness(new ReadableStream({ pull: raise(value) }), 'multipart'),
  'an iterator of an image': (value) => liveness({ [Symbol.asyncIterator]: raise(value) }, 'multipart'),
  'a Blob': (value) => liveness(Object.assign(new Blob([bytes]), { arrayBuffer: reject(value) }), 'multipart'),
  'toJSON in metadata': (value) => metadata({ deep: [{ toJSON: raise(value) }] }),
  'a beforeBillable': (value) =>
    client({ fetch: scriptedFetch().fetch, beforeBillable: reject(value) }).checks.age({
      dob: '2001-05-17',
      bands: [18],
    }),
  'the store of tokens': (value) =>
    createTokenManager({ oidc: { refresh: reject(value) } as never, store: failingStore(value) }).save(
      'user_1',
      signedIn(),
    ),
  'the refresh of tokens': async (value) => {
    const manager = createTokenManager({ oidc: { refresh: reject(value) } as never, store: memoryStore() })
    await manager.save('user_1', { ...signedIn(), expires_at: 0 } as TokenSet)
    return manager.getAccessToken('user_1')
  },
  'the store of a webhook handler': async (value) => {
    const errors: unknown[] = []
    const options = {
      secret,
      store: failingStore(value),
      onError: (error: unknown) => void errors.push(error),
    }
    const handler = createWebhookHandler({ ...options, on: { 'verification.approved': () => {} } })
    await handler.handle((await signWebhook({ event, secret })) as never)
    throw errors[0]
  },
  'the body of a webhook': async (value) => {
    const errors: unknown[] = []
    const handler = createWebhookHandler({
      secret,
      onTestEvent: () => {},
      onError: (error) => void errors.push(error),
    })
    const body = new ReadableStream({ pull: raise(value) })
    const { headers } = await signWebhook({ event, secret })
    const init = { method: 'POST', headers, body, duplex: 'half' as const }
    await handler.fetch(new Request('https://app.example.test/', init))
    throw errors[0]
  },
  'an iterator, synchronously': (value) =>
    liveness({ [Symbol.asyncIterator]: () => ({ next: raise(value) }) }, 'multipart'),
  'toJSON of an event to sign': (value) => signWebhook({ event: { toJSON: raise(value) }, secret }),
  'a Redis client': (value) => redisStore({ isOpen: true, eval: reject(value) } as never).get('key'),
  'a Postgres pool': (value) => postgresStore({ query: raise(value) } as never).get('key'),
}

it.each(
  Object.entries(entries).flatMap(([where, call]) =>
    Object.entries(thrown).map(([what, make]) => ({ where, what, call, make })),
  ),
)('an error for $what from $where shows nothing of it', async ({ call, make }) => {
  const error = await thrownBy(call(make()))

  expect(isSdkError(error)).toBe(true)
  expect(printed(error)).not.toMatch(/canary|X-Amz/i)
})

it('an error for an image file that does not exist has its code, and not its path', async () => {
  const error = await thrownBy(liveness(imageFromFile('/tmp/CANARY/Ada Lovelace.jpg'), 'multipart'))

  const cause = { name: 'Error', code: 'ENOENT', message: 'ENOENT' }
  expect(error).toMatchObject({ code: 'invalid_params', cause })
  expect(printed(error)).not.toMatch(/canary|lovelace/i)
})

it('an error for circular metadata shows neither its members nor their names', async () => {
  const value: Record<string, unknown> = { 'Ada CANARY': {} }
  value['Ada CANARY'] = { value }

  const error = await thrownBy(metadata(value))

  expect(error).toMatchObject({ code: 'invalid_params', cause: { name: 'TypeError' } })
  expect(printed(error)).not.toMatch(/canary/i)
})

it('a cause that is an error of this package is passed on unchanged', async () => {
  const inner = await thrownBy(client({ fetch: reject(new TypeError('x')) }).sessions.retrieve('s'))

  const error = await thrownBy(client({ apiKey: reject(inner) }).sessions.retrieve('s'))

  expect((error as Error).cause).toBe(inner)
})

it("the reason of the caller's own signal is the original, and its class the cause", async () => {
  const reason = new RangeError(message)
  const signal = AbortSignal.abort(reason)
  const error = await thrownBy(client({ fetch: scriptedFetch().fetch }).sessions.retrieve('s', { signal }))

  expect(error).toMatchObject({ name: 'AbortedError', original: reason, cause: { name: 'RangeError' } })
})

it('what other code threw is itself the cause if errorDetail is full', async () => {
  const error = await thrownBy(
    client({ apiKey: reject(new Error(message)), errorDetail: 'full' }).sessions.retrieve('s'),
  )

  expect(error).toMatchObject({ cause: new Error(message), original: new Error(message) })
})

it('a failed call reports nothing of what other code threw to hooks and logs', async () => {
  for (const make of Object.values(thrown)) {
    const { records, options } = hookRecorder()
    const settings = { fetch: reject(make()), maxRetries: 1, ...options }
    await thrownBy(testClient(settings).client.sessions.retrieve('s'))

    expect(records.length).toBeGreaterThan(4)
    expect(printed(...records)).not.toMatch(/canary|X-Amz/i)
  }
})
