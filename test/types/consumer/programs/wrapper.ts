// Wraps any method of any client: logs the request id, measures, maps a missing resource to null.
import {
  type ApiPromise,
  type ApiResponse,
  type Decision,
  isErrorCode,
  type OrgClient,
  type RequestOptions,
  type VerificationClient,
} from 'identity-service-sdk'

type Method<Args extends unknown[], T> = (...args: Args) => ApiPromise<T>

export function logged<Args extends unknown[], T>(
  method: Method<Args, T>,
  log: (response: ApiResponse, durationMs: number) => void,
): (...args: Args) => Promise<T> {
  return async (...args) => {
    const startedAt = Date.now()
    const { data, response } = await method(...args).withResponse()
    log(response, Date.now() - startedAt)
    return data
  }
}

export async function orNull<T>(call: ApiPromise<T>): Promise<T | null> {
  return call.catch((error: unknown) => {
    if (isErrorCode(error, 'not_found', 'session_not_found')) return null
    throw error
  })
}

export function servicesOf({ sessions, checks }: VerificationClient, { members }: OrgClient) {
  const log = ({ requestId, attempts }: ApiResponse, durationMs: number) => console.log(requestId, attempts, durationMs)
  return {
    decision: (id: string): Promise<Decision | null> => orNull(sessions.decision(id)),
    retrieve: logged((id: string, options?: RequestOptions) => sessions.retrieve(id, options), log),
    create: logged(sessions.create.bind(sessions), log),
    roster: logged(() => members.list(), log),
    face: logged((...args: Parameters<typeof checks.faceMatch>) => checks.faceMatch(...args), log),
  }
}

export async function use(client: VerificationClient, org: OrgClient): Promise<string> {
  const { retrieve, roster, face } = servicesOf(client, org)
  const { url } = await retrieve('sess_123', { timeoutMs: 1000 })
  const { organization } = await roster()
  const { check } = await face({ image1: { base64: 'YQ==' }, image2: 'data:image/png;base64,Yg==' })
  return `${url} ${organization.name} ${check.data.similarity ?? 0}`
}

/** A fake of a call is a promise with one more method. */
export function fakeCall<T>(data: T, response: ApiResponse): ApiPromise<T> {
  return Object.assign(Promise.resolve(data), { withResponse: async () => ({ data, response }) })
}
