import { isJsonObject } from '../../contract/schema/schema.ts'
import type { RequestEvent } from '../../observe/call-events.ts'
import { type ObservationOptions, observationRules } from '../../observe/observation.ts'
import {
  aFunction,
  joinRules,
  oneOfTexts,
  positiveWholeNumber,
  type Rule,
  timeSpan,
  trueOrFalse,
  wholeNumberWithin,
} from '../../options/rules.ts'

/**
 * An undici `Dispatcher`, described by its shape: a `ProxyAgent`, your own `Pool` or a `MockAgent`. Dispatchers of
 * undici 6, 7 and 8 work.
 */
export interface DispatcherLike {
  /** Sends a request, and passes the response to the methods of a handler. */
  // biome-ignore lint/complexity/noBannedTypes: the shape is undici's, whose types must not be needed here
  dispatch: Function
}

/** Params of a list that takes none yet. */
export type NoParams = Readonly<Record<string, never>>

/** A body of any fields: an object literal or an interface, but no array. */
export type OpenBody = Readonly<Record<string, unknown>> | (object & { readonly [Symbol.iterator]?: never })

/** Sends the requests of a client with a `fetch`. */
export interface FetchOption {
  /**
   * Sends the requests instead of the pooled undici transport. Use it for mocks, edge runtimes and the emulator. The
   * environment variable `SVC_TRANSPORT=fetch` selects the global `fetch`. Node's own `fetch` keeps a copy of an upload
   * that is streamed, so use the default for large files.
   *
   * It gets headers as a plain object, and `cache: 'no-store'`. It may return what node-fetch returns, or an object
   * with `status`, `headers` and one of `arrayBuffer`, `text` and `json`.
   *
   * @default the pooled transport on Node, elsewhere the global `fetch`, looked up at each call
   */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  readonly dispatcher?: undefined
}

/** Sends the requests of a client with undici. */
interface DispatcherOption {
  /**
   * An undici dispatcher for the pooled transport, such as a proxy or your own pool. Only on Node, and not together
   * with `fetch`. `'global'` is the dispatcher of the process, as `setGlobalDispatcher` of undici sets it. It is looked
   * up at each call, and never closed by the client.
   *
   * @default the client's own pool, with the proxy of `HTTPS_PROXY` if `NODE_USE_ENV_PROXY=1`
   */
  readonly dispatcher?: DispatcherLike | 'global' | undefined
  readonly fetch?: undefined
}

/** Options of a client, apart from the two that exclude each other. */
export interface BaseClientOptions extends ObservationOptions {
  /**
   * The base URL of the service, with or without a path. It must be `https`, or `http` to a loopback host or to the
   * host that `SVC_EMULATOR_HOST` names, without credentials, query and fragment.
   *
   * @default env `SVC_BASE_URL`, for an `OrgClient` `SVC_ORG_BASE_URL`
   */
  readonly baseUrl?: string | URL | undefined
  /**
   * Maximum time for one attempt, in milliseconds, up to the last byte of the body. Every retry has the full time
   * again. To bound the whole call, set `deadlineMs`.
   *
   * @default 30_000; 90_000 for `checks.credential` and `checks.kycCredential`, which take 10 to 60 seconds
   * @throws {ConfigurationError} from the constructor, unless the value is a whole number from 1 to 2,147,483,647
   */
  readonly timeoutMs?: number | undefined
  /**
   * Maximum time for the whole call, in milliseconds: all attempts, the waits between them and the body.
   *
   * @default none
   * @throws {ConfigurationError} from the constructor, unless the value is a whole number from 1 to 2,147,483,647
   */
  readonly deadlineMs?: number | undefined
  /**
   * Maximum number of attempts after the first. Only requests that are safe to retry are retried.
   *
   * @default 2 (`0` turns retries off)
   * @throws {ConfigurationError} from the constructor, unless the value is a whole number from 0 to 10
   */
  readonly maxRetries?: number | undefined
  /**
   * Headers that are sent with every request, in addition to the client's own. Credentials of the client win over a
   * header of the same name. A value that is `undefined` is omitted.
   *
   * @default none
   * @throws {ConfigurationError} from the constructor, if a name or value is invalid, or the client sets the header
   *   itself
   */
  readonly headers?: Readonly<Record<string, string | undefined>> | Headers | undefined
  /**
   * Maximum number of sockets in the client's own pool.
   *
   * @default unlimited
   */
  readonly connections?: number | undefined
  /**
   * Offers HTTP/2 to the service. When a server closes such a connection in good order (GOAWAY, as proxies do after a
   * number of requests), undici 7 drops the requests that are in progress on it. Those that are safe to retry are
   * retried. The other calls fail with a `ConnectionError`.
   *
   * @default false
   */
  readonly http2?: boolean | undefined
  /**
   * Maximum size of a response, in bytes after decompression. A larger response is not read to its end.
   *
   * @default 33_554_432 (32 MiB)
   */
  readonly maxResponseBytes?: number | undefined
  /** Called for each event of a call, for metrics and tracing. An error that it throws is logged and has no effect. */
  readonly onEvent?: ((event: RequestEvent) => void) | undefined
  /**
   * What happens if a response does not have the documented shape: `'strict'` rejects it, `'warn'` logs it once for
   * each operation, `'off'` does not validate it. The outcome of a decision, the identity of a webhook event and tokens
   * are always validated. Fields without a documented type are never rejected.
   *
   * @default 'warn'
   */
  readonly responseValidation?: 'strict' | 'warn' | 'off' | undefined
}

/**
 * Options of a client. The constructor reads them once. Later changes to the object have no effect. `fetch` and
 * `dispatcher` exclude each other.
 */
export type ClientOptions = BaseClientOptions & (FetchOption | DispatcherOption)

const retryCount = /* @__PURE__ */ wholeNumberWithin({ from: 0, to: 10 })
const aDispatcher: Rule = {
  form: "be an undici Dispatcher or 'global'",
  allows: (value: unknown) => value === 'global' || typeof (value as DispatcherLike | null)?.dispatch === 'function',
}

export const clientOptionRules = /* @__PURE__ */ joinRules(observationRules, {
  baseUrl: true,
  timeoutMs: timeSpan,
  deadlineMs: timeSpan,
  maxRetries: retryCount,
  headers: true,
  fetch: aFunction,
  dispatcher: aDispatcher,
  connections: positiveWholeNumber,
  http2: trueOrFalse,
  maxResponseBytes: positiveWholeNumber,
  onEvent: aFunction,
  responseValidation: /* @__PURE__ */ oneOfTexts(['strict', 'warn', 'off']),
})

/** Options of one call. */
export interface RequestOptions {
  /** Aborts the call, also while it waits between attempts. The call rejects with an `AbortedError`. */
  readonly signal?: AbortSignal | undefined
  /** Maximum time for one attempt of this call, in milliseconds. @default the client's */
  readonly timeoutMs?: number | undefined
  /** Maximum time for this whole call, in milliseconds. @default the client's */
  readonly deadlineMs?: number | undefined
  /** Maximum number of attempts after the first for this call, from 0 to 10. @default the client's */
  readonly maxRetries?: number | undefined
  /**
   * Headers of this call. They win over the client's `headers` of the same name. A value that is `undefined` is
   * omitted, so that the client's is sent.
   *
   * @default none
   */
  readonly headers?: Readonly<Record<string, string | undefined>> | Headers | undefined
  /**
   * Identifies one logical call: 1 to 255 visible ASCII characters. Billable calls always have a key. Pass your own to
   * retry a call from another process, or after an `OutcomeUnknownError`. What the service charges and returns for a
   * key that it has seen is not documented.
   *
   * @default a random UUID for billable calls, none for others
   */
  readonly idempotencyKey?: string | undefined
  /**
   * Params that the service accepts and the types do not have, by their names on the wire. They are sent next to the
   * params: in the query of a GET and a DELETE, otherwise in the body.
   *
   * @default none. A name that the operation has is an `InvalidParamsError`
   *
   * @example
   * await client.sessions.create({ workflow_id: 'wf_identity' }, { extraParams: { locale: 'de' } })
   */
  readonly extraParams?: Readonly<Record<string, JsonValue>> | undefined
}

/**
 * What runs before a call that may be charged.
 *
 * @inline
 */
export type BeforeBillable = (call: {
  readonly operation: string
  readonly spendKey: string | undefined
  readonly idempotencyKey: string | undefined
}) => unknown

/** A value that JSON can contain. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined }

/** Options of a billable call. */
export interface BillableRequestOptions extends RequestOptions {
  /**
   * Whom the call counts for, as `beforeBillable` gets it: for example the id of your user, 1 to 255 characters. It is
   * not sent.
   *
   * @default none
   */
  readonly spendKey?: string | undefined
}

export const requestOptionRules = {
  signal: {
    form: 'be an AbortSignal',
    allows: (value: unknown) => typeof (value as AbortSignal | null)?.addEventListener === 'function',
  },
  timeoutMs: timeSpan,
  deadlineMs: timeSpan,
  maxRetries: retryCount,
  headers: true,
  idempotencyKey: {
    form: 'be 1 to 255 visible ASCII characters',
    allows: (value: unknown) => typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value),
  },
  extraParams: { form: 'be an object of names and values', allows: isJsonObject },
} as const
