// A service that gets its clients from a container, and its options from a configuration that may be incomplete.
import {
  ApiError,
  type CheckFor,
  type ClientOptions,
  isErrorCode,
  OrgClient,
  type RequestOptions,
  type Store,
  VerificationClient,
  type VerificationManager,
} from 'identity-service-sdk'

interface Config {
  readonly SVC_BASE_URL?: string
  readonly SVC_API_KEY?: string
  readonly TIMEOUT_MS?: string
}

type Provider<T> = { readonly provide: symbol; useFactory(config: Config): T }

const verificationToken = Symbol('VerificationClient')

export const providers: readonly [Provider<VerificationClient>, Provider<OrgClient>] = [
  {
    provide: verificationToken,
    useFactory: ({ SVC_BASE_URL, SVC_API_KEY, TIMEOUT_MS }) =>
      new VerificationClient({
        baseUrl: SVC_BASE_URL,
        apiKey: SVC_API_KEY,
        timeoutMs: TIMEOUT_MS === undefined ? undefined : Number(TIMEOUT_MS),
      }),
  },
  { provide: Symbol('OrgClient'), useFactory: () => new OrgClient() },
]

/** Depends on what it uses, not on the class. */
type Verification = Pick<VerificationClient, 'checks' | 'sessions'>

export class AgeService {
  private readonly client: Verification
  private readonly verifications: Pick<VerificationManager, 'start' | 'get'>
  private readonly store: Store

  constructor(client: Verification, verifications: Pick<VerificationManager, 'start' | 'get'>, store: Store) {
    this.client = client
    this.verifications = verifications
    this.store = store
  }

  async isAdult(dob: string, options?: RequestOptions): Promise<boolean> {
    try {
      const { check } = await this.client.checks.age({ dob, bands: [18] }, options)
      return this.passed(check)
    } catch (error) {
      if (isErrorCode(error, 'missing_dob', 'invalid_date')) return false
      if (error instanceof ApiError && error.retryable) await this.store.set('retry', dob, { ttlMs: 60_000 })
      throw error
    }
  }

  async linkFor(subject: string): Promise<string | undefined> {
    const { url } = await this.verifications.start(subject)
    return url ?? undefined
  }

  private passed(check: Pick<CheckFor<'age'>, 'status'>): boolean {
    return check.status === 'passed'
  }
}

export const shared: ClientOptions = { maxRetries: 1, headers: { 'x-team': undefined } }
export const org = new OrgClient({ ...shared, clientId: 'id', clientSecret: 'secret' })
