// Functions that work with any call of a client.
import {
  type ApiPromise,
  type ApiResponse,
  type Bulk,
  type CheckFor,
  type CheckType,
  type Decision,
  findCheck,
  isSdkError,
  type ListPromise,
  type StandaloneResult,
  type VerificationClient,
} from 'identity-service-sdk'

/** Measures a call, and keeps its type. */
export async function timed<T>(call: ApiPromise<T>, report: (ms: number, response: ApiResponse) => void): Promise<T> {
  const start = performance.now()
  const { data, response } = await call.withResponse()
  report(performance.now() - start, response)
  return data
}

/** Returns the error instead of throwing it. */
export async function settled<T>(call: PromiseLike<T>): Promise<{ data: T } | { code: string }> {
  try {
    return { data: await call }
  } catch (error) {
    if (isSdkError(error)) return { code: error.code }
    throw error
  }
}

export async function firstOf<T, Item>(list: ListPromise<T, Item>): Promise<Item | undefined> {
  for await (const item of list) return item
  return undefined
}

export async function count<Item, Summary>(work: Bulk<Item, Summary>): Promise<number> {
  let items = 0
  for await (const _ of work) items += 1
  return items
}

/** Reads the data of one type of check. */
export function dataOf<Type extends CheckType>(decision: Decision, type: Type): CheckFor<Type>['data'] | undefined {
  return findCheck(decision, type)?.data
}

type Method<Args extends readonly unknown[], Result> = (...args: Args) => PromiseLike<Result>

/** Adds a cache in front of a method. */
export function cached<Args extends readonly unknown[], Result>(
  method: Method<Args, Result>,
): (...args: Args) => Promise<Result> {
  const results = new Map<string, Promise<Result>>()
  return (...args) => {
    const key = JSON.stringify(args)
    const known = results.get(key) ?? Promise.resolve(method(...args))
    results.set(key, known)
    return known
  }
}

export const use = async (client: VerificationClient) => {
  const providers = cached(client.credentials.listProviders)
  const [first] = await providers('CA')
  const live: StandaloneResult<'liveness'> = await timed(
    client.checks.liveness({ image: { base64: 'aGk=' } }),
    (ms, { attempts }) => console.log(ms, attempts),
  )
  const status: string | undefined = (await firstOf(client.sessions.list()))?.status
  return [first?.credential_code, live.check.data.live_score, status]
}
