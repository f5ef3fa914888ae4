import { expectTypeOf, it } from 'vitest'
import {
  type ApiError,
  type ErrorCode,
  isErrorCode,
  type KnownErrorCode,
  type SdkError,
} from '../../src/errors.ts'
import {
  type AgeData,
  type ApiPromise,
  type ApiResponse,
  assertPassed,
  type Check,
  type CheckError,
  type CheckFor,
  type CheckStatus,
  type CheckType,
  type CombinedResult,
  type CredentialData,
  type CredentialParams,
  type CredentialProvider,
  type CredentialState,
  credentialParams,
  type DecidedDecision,
  type Decision,
  type FaceMatchData,
  type Id,
  type IdVerificationData,
  type ImageInput,
  imageFromFile,
  type LivenessData,
  type LocationData,
  type Outcome,
  parseReturnUrl,
  type Session,
  type SessionStatus,
  type StandaloneResult,
  type Unlisted,
  type VerificationClient,
  type VerificationClientOptions,
  type Workflow,
} from '../../src/verification.ts'

// These tests are checked by the compiler. Their functions are not called.
declare const check: Check
declare const error: unknown

const waits = (client: VerificationClient) =>
  [client.sessions.waitForDecision('s'), client.sessions.waitForDecision('s', { until: 'IN_REVIEW' })] as [
    Promise<DecidedDecision>,
    Promise<Decision>,
  ]

type Client = VerificationClient
type Awaits<Method extends (...args: never[]) => PromiseLike<unknown>> = Awaited<ReturnType<Method>>

it('narrows the data of a check by its type', () => {
  const narrowed = (one: Check) => {
    if (one.type === 'age') expectTypeOf(one.data).toEqualTypeOf<AgeData>()
    if (one.type === 'id_verification') expectTypeOf(one.data).toEqualTypeOf<IdVerificationData>()
    if (one.type === 'liveness') expectTypeOf(one.data).toEqualTypeOf<LivenessData>()
    if (one.type === 'face_match') expectTypeOf(one.data).toEqualTypeOf<FaceMatchData>()
    if (one.type === 'credential') expectTypeOf(one.data).toEqualTypeOf<CredentialData>()
    if (one.type === 'location') expectTypeOf(one.data).toEqualTypeOf<LocationData>()
  }

  expectTypeOf(narrowed).parameter(0).toEqualTypeOf<Check>()
})

it('keeps a member of the union for future types of checks', () => {
  const rest = (one: Check) => {
    switch (one.type) {
      case 'id_verification':
      case 'liveness':
      case 'face_match':
      case 'age':
      case 'credential':
      case 'location':
        return
      default:
        expectTypeOf(one).not.toBeNever()
        expectTypeOf(one.data).toEqualTypeOf<{ readonly [field: string]: unknown }>()
        expectTypeOf(one.status).toEqualTypeOf<CheckStatus>()
    }
  }

  expectTypeOf(rest).returns.toBeVoid()
})

it('every check has a status, an optional score and an open error', () => {
  expectTypeOf<Check['status']>().toEqualTypeOf<CheckStatus>()
  expectTypeOf<Check['score']>().toEqualTypeOf<number | null | undefined>()
  expectTypeOf<Check['error']>().toEqualTypeOf<CheckError | string | null | undefined>()
  expectTypeOf<CheckFor<'age'>['type']>().toEqualTypeOf<'age'>()
})

it('values from the service are open: known values are listed, and one type stands for the others', () => {
  expectTypeOf<'APPROVED'>().toExtend<SessionStatus>()
  expectTypeOf<Unlisted>().toExtend<SessionStatus>()
  expectTypeOf<Unlisted>().toExtend<CheckStatus>()
  expectTypeOf<'ON_HOLD'>().not.toExtend<SessionStatus>()
  expectTypeOf<ErrorCode>().toExtend<string>()
  expectTypeOf<SessionStatus>().not.toEqualTypeOf<string>()
})

it('values that the caller sends are closed', () => {
  type Status = Parameters<Client['sessions']['updateStatus']>[1]['status']

  expectTypeOf<Status>().toEqualTypeOf<'APPROVED' | 'DECLINED'>()
  expectTypeOf<VerificationClientOptions['auth']>().toEqualTypeOf<'api-key' | 'bearer' | undefined>()
})

it('all seven params of a new session are typed and optional', () => {
  type Params = NonNullable<Parameters<Client['sessions']['create']>[0]>

  expectTypeOf<object>().toExtend<Params>()
  expectTypeOf<Params>().toEqualTypeOf<{
    readonly workflow_id?: Id<'workflow'> | undefined
    readonly redirect_url?: string | undefined
    readonly callback?: string | undefined
    readonly vendor_data?: string | undefined
    readonly ttl_seconds?: number | undefined
    readonly metadata?: object | undefined
    readonly svc_access_token?: string | undefined
  }>()
})

it('all seven fields of a session are typed', () => {
  expectTypeOf<Session['session_id']>().toBeString()
  expectTypeOf<Session['status']>().toEqualTypeOf<SessionStatus>()
  expectTypeOf<Session['url']>().toBeString()
  expectTypeOf<Session['session_token']>().toBeString()
  expectTypeOf<Session['features']>().toEqualTypeOf<(CheckType | Unlisted)[]>()
  expectTypeOf<Session['redirect_url']>().toEqualTypeOf<string | null | undefined>()
  expectTypeOf<Session['expires_at']>().toBeString()
})

it('a decision may be null, so it is not an outcome until a caller checks it', () => {
  expectTypeOf<Decision['decision']>().toEqualTypeOf<'APPROVED' | 'DECLINED' | null>()
  expectTypeOf<Decision['decided_at']>().toEqualTypeOf<string | null | undefined>()
  expectTypeOf<Decision['decision']>().not.toEqualTypeOf<Outcome>()
})

it('each method has its own type of result', () => {
  expectTypeOf<Awaits<Client['sessions']['list']>>().toEqualTypeOf<Session[]>()
  expectTypeOf<ReturnType<typeof waits>>().toEqualTypeOf<[Promise<DecidedDecision>, Promise<Decision>]>()
  expectTypeOf<Awaits<Client['checks']['idVerification']>>().toEqualTypeOf<
    StandaloneResult<'id_verification'>
  >()
  expectTypeOf<Awaits<Client['checks']['age']>['check']['data']>().toEqualTypeOf<AgeData>()
  expectTypeOf<Awaits<Client['checks']['location']>['check']['data']['match']>().toEqualTypeOf<
    boolean | null | undefined
  >()
  expectTypeOf<Awaits<Client['checks']['kycCredential']>>().toEqualTypeOf<CombinedResult>()
  expectTypeOf<Awaits<Client['credentials']['listStates']>>().toEqualTypeOf<CredentialState[]>()
  expectTypeOf<Awaits<Client['credentials']['listProviders']>>().toEqualTypeOf<CredentialProvider[]>()
  expectTypeOf<Awaits<Client['experimental']['workflows']['retrieve']>>().toEqualTypeOf<Workflow>()
  expectTypeOf<Awaits<Client['experimental']['antispoof']['check']>>().toBeUnknown()
  expectTypeOf<Awaits<Client['experimental']['faceUniqueness']['delete']>>().toBeUnknown()
  expectTypeOf(parseReturnUrl).returns.toEqualTypeOf<{
    readonly sessionId: Id<'session'> | null
    readonly statusHint: SessionStatus | null
  }>()
})

it('awaiting a call returns its data, and withResponse() returns data and response', () => {
  type Call = ApiPromise<Session>

  expectTypeOf<Awaited<Call>>().toEqualTypeOf<Session>()
  expectTypeOf<Awaited<ReturnType<Call['withResponse']>>>().toEqualTypeOf<{
    readonly data: Session
    readonly response: ApiResponse
  }>()
  expectTypeOf<ApiResponse['requestId']>().toEqualTypeOf<string | undefined>()
})

const license = { license_state: 'CA', license_number: 'RN-1', license_type: 'Registered Nurse' } as const

it('accepts a licence check without a name, with a full name, with both names, or with an access token', () => {
  expectTypeOf(license).toExtend<CredentialParams>()
  expectTypeOf({ ...license, full_name: 'Ada' }).toExtend<CredentialParams>()
  expectTypeOf({ ...license, first_name: 'Ada', last_name: 'Lovelace' }).toExtend<CredentialParams>()
  expectTypeOf({ ...license, svc_access_token: 'token' }).toExtend<CredentialParams>()
  expectTypeOf({ ...license, license_type: undefined, provider_code: 'CA-BRN' }).toExtend<CredentialParams>()
  expectTypeOf({ ...license, provider_code: 'CA-BRN' as string | undefined }).toExtend<CredentialParams>()
})

it('rejects a name next to an access token, because account mode ignores it', () => {
  const account = { ...license, svc_access_token: 'token' } as const

  expectTypeOf({ ...account, full_name: 'Ada' }).not.toExtend<CredentialParams>()
  expectTypeOf({ ...account, first_name: 'Ada', last_name: 'Lovelace' }).not.toExtend<CredentialParams>()
})

it('rejects contradicting names, half a name, and a licence without type, state or number', () => {
  const both = { full_name: 'Ada', first_name: 'Ada', last_name: 'Lovelace' } as const

  expectTypeOf({ ...license, ...both }).not.toExtend<CredentialParams>()
  expectTypeOf({ ...license, first_name: 'Ada' }).not.toExtend<CredentialParams>()
  expectTypeOf({ license_state: 'CA', license_number: 'RN-1' }).not.toExtend<CredentialParams>()
  expectTypeOf({ license_number: 'RN-1', license_type: 'RN' }).not.toExtend<CredentialParams>()
  expectTypeOf({ license_state: 'CA', license_type: 'RN' }).not.toExtend<CredentialParams>()
})

it('credentialParams() returns params of a licence check from a provider and the fields of a form', () => {
  const build = (client: Client, provider: CredentialProvider) =>
    client.checks.credential({ ...credentialParams(provider, { license_no: 'RN-1' }), full_name: 'Ada' })

  expectTypeOf(build).returns.toEqualTypeOf<ApiPromise<StandaloneResult<'credential'>>>()
})

it('accepts any string or number as an age band', () => {
  type Band = Parameters<Client['checks']['age']>[0]['bands'][number]

  expectTypeOf<Band>().toEqualTypeOf<string | number>()
})

it('accepts an image in every form of input', () => {
  expectTypeOf<Uint8Array | ArrayBuffer | Blob | File | `data:${string}`>().toExtend<ImageInput>()
  expectTypeOf<import('node:stream').Readable | ReadableStream<Uint8Array>>().toExtend<ImageInput>()
  expectTypeOf<() => Promise<Uint8Array>>().toExtend<ImageInput>()
  expectTypeOf<{ data: Uint8Array; filename: string; contentType: string }>().toExtend<ImageInput>()
  expectTypeOf(imageFromFile).returns.toExtend<ImageInput>()
  expectTypeOf<{ base64: string; filename: string; contentType: string }>().toExtend<ImageInput>()
  expectTypeOf<() => { base64: string }>().toExtend<ImageInput>()
  expectTypeOf<number>().not.toExtend<ImageInput>()
  expectTypeOf<string>().not.toExtend<ImageInput>()
  expectTypeOf<() => string>().not.toExtend<ImageInput>()
  expectTypeOf<{ data: string }>().not.toExtend<ImageInput>()
  expectTypeOf<{ base64: string; data: Uint8Array }>().not.toExtend<ImageInput>()
})

it('only calls with images have the options encoding and onUploadProgress', () => {
  type Images = NonNullable<Parameters<Client['checks']['liveness']>[1]>
  type Others = NonNullable<Parameters<Client['checks']['age']>[1]>

  expectTypeOf<Images['encoding']>().toEqualTypeOf<'multipart' | 'json' | undefined>()
  expectTypeOf<Others>().not.toHaveProperty('encoding')
})

it('isErrorCode() narrows an error to its code and to the details that the contract lists for it', () => {
  const narrow = () => {
    if (isErrorCode(error, 'already_decided')) {
      expectTypeOf(error.code).toEqualTypeOf<'already_decided'>()
      expectTypeOf(error).toExtend<ApiError>()
      expectTypeOf(error.details.status).toEqualTypeOf<SessionStatus>()
      expectTypeOf(error.details).toExtend<Readonly<Record<string, unknown>>>()
    }
  }

  expectTypeOf(narrow).returns.toBeVoid()
  expectTypeOf<KnownErrorCode>().toExtend<ErrorCode>()
  expectTypeOf<ApiError>().toExtend<SdkError>()
})

it('assertPassed() accepts the result of one check and of several', () => {
  expectTypeOf(assertPassed<StandaloneResult<'liveness'>>).toBeFunction()
  expectTypeOf(assertPassed<CombinedResult>).toBeFunction()
  expectTypeOf(() => check.data).returns.toBeObject()
})
