import { expect, it } from 'vitest'
import { InvalidParamsError } from '../../src/index.ts'
import { images } from '../support/fixtures.ts'
import { scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()
const { client } = testClient()

/** Part of every bad value where possible. No message may contain it. */
const canary = 'canary-7Q'

/** Calls a method by its name, as a program without types can. */
function callOf(name: string, args: readonly unknown[]): Promise<unknown> {
  const path = name.split('.')
  const method = path.pop() ?? ''
  const owner = path.reduce<object>((part, member) => Reflect.get(part, member), client)
  return Reflect.apply(Reflect.get(owner, method), owner, args)
}

/** `[method, arguments, paths of the issues]` */
type Case = readonly [method: string, args: readonly unknown[], paths: readonly string[]]

const license = { license_state: 'CA', license_number: '1', license_type: 'RN' }
const kyc = { front_image: images.png, selfie: images.png, ...license }
const frames = (count: number) => ({ frames: Array.from({ length: count }, () => ({ base64: 'ZnJhbWU=' })) })

const badParams: readonly Case[] = [
  ['sessions.create', [canary], ['params']],
  ['sessions.create', [null], ['params']],
  ['sessions.create', [[canary]], ['params']],
  ['sessions.create', [{ workflow_id: 7 }], ['workflow_id']],
  ['sessions.create', [{ redirect_url: canary }], ['redirect_url']],
  ['sessions.create', [{ redirect_url: '' }], ['redirect_url']],
  ['sessions.create', [{ redirect_url: `/return?${canary}` }], ['redirect_url']],
  ['sessions.create', [{ callback: `//app.example.test/${canary}` }], ['callback']],
  ['sessions.create', [{ callback: new URL('https://app.example.test') }], ['callback']],
  ['sessions.create', [{ vendor_data: 42 }], ['vendor_data']],
  ['sessions.create', [{ vendor_data: null }], ['vendor_data']],
  ['sessions.create', [{ ttl_seconds: canary }], ['ttl_seconds']],
  ['sessions.create', [{ ttl_seconds: 1.5 }], ['ttl_seconds']],
  ['sessions.create', [{ ttl_seconds: Number.NaN }], ['ttl_seconds']],
  ['sessions.create', [{ metadata: canary }], ['metadata']],
  ['sessions.create', [{ metadata: [canary] }], ['metadata']],
  ['sessions.create', [{ svc_access_token: 7 }], ['svc_access_token']],
  ['sessions.create', [{ ttl_seconds: canary, callback: canary }], ['callback', 'ttl_seconds']],
  ['sessions.list', [canary], ['params']],
  ['sessions.list', [null], ['params']],
  ['sessions.list', [{ status: 7 }], ['status']],
  ['sessions.list', [{ vendor_data: { canary } }], ['vendor_data']],
  ['sessions.list', [{ vendor_data: `${canary}\ud800` }], ['vendor_data']],
  ['sessions.list', [{ limit: canary }], ['limit']],
  ['sessions.list', [{ limit: 2.5 }], ['limit']],
  ['sessions.updateStatus', ['sess_1'], ['status']],
  ['sessions.updateStatus', ['sess_1', null], ['params']],
  ['sessions.updateStatus', ['sess_1', { status: 'IN_REVIEW' }], ['status']],
  ['sessions.updateStatus', ['sess_1', { status: canary }], ['status']],
  ['sessions.waitForDecision', ['sess_1', { timeoutMs: 0 }], ['timeoutMs']],
  ['sessions.waitForDecision', ['sess_1', { timeoutMs: canary }], ['timeoutMs']],
  ['sessions.waitForDecision', ['sess_1', { timeoutMs: 2 ** 31 }], ['timeoutMs']],
  ['sessions.waitForDecision', ['sess_1', { pollIntervalMs: -1 }], ['pollIntervalMs']],
  ['sessions.waitForDecision', ['sess_1', { pollIntervalMs: 0 }], ['pollIntervalMs']],
  ['sessions.waitForDecision', ['sess_1', { pollIntervalMs: 2 ** 31 }], ['pollIntervalMs']],
  ['sessions.waitForDecision', ['sess_1', { maxRetries: 99 }], ['maxRetries']],
  ['sessions.waitForDecision', ['sess_1', { deadlineMs: 0 }], ['deadlineMs']],
  ['sessions.waitForDecision', ['sess_1', { headers: { host: canary } }], ['headers.host']],
  ['checks.idVerification', [], ['front_image']],
  ['checks.idVerification', [{}], ['front_image']],
  ['checks.idVerification', [null], ['params']],
  ['checks.idVerification', [{ front_image: `${canary} is not base64!` }], ['front_image']],
  ['checks.idVerification', [{ front_image: 7, back_image: {} }], ['back_image', 'front_image']],
  ['checks.idVerification', [{ front_image: images.png, back_image: null }], ['back_image']],
  ['checks.liveness', [{}], ['image']],
  ['checks.faceMatch', [{ image1: images.png }], ['image2']],
  ['checks.faceMatch', [{}], ['image1', 'image2']],
  ['checks.age', [], ['bands', 'dob']],
  ['checks.age', [{ dob: '', bands: [] }], ['dob']],
  ['checks.age', [{ dob: 20010517, bands: [] }], ['dob']],
  ['checks.age', [{ dob: '2001-05-17' }], ['bands']],
  ['checks.age', [{ dob: '2001-05-17', bands: 18 }], ['bands']],
  ['checks.age', [{ dob: canary, bands: ['18+', '', 18.5, null] }], ['bands.1', 'bands.2', 'bands.3']],
  ['checks.credential', [{ ...license, license_state: 'California' }], ['license_state']],
  ['checks.credential', [{ ...license, license_state: 'C' }], ['license_state']],
  ['checks.credential', [{ ...license, license_state: 'C1' }], ['license_state']],
  ['checks.credential', [{ ...license, license_state: undefined }], ['license_state']],
  ['checks.credential', [{ ...license, license_number: '' }], ['license_number']],
  ['checks.credential', [{ ...license, license_number: 12345 }], ['license_number']],
  ['checks.credential', [{ ...license, license_type: undefined }], ['license_type']],
  ['checks.credential', [{ ...license, provider_code: '' }], ['provider_code']],
  ['checks.credential', [{ ...license, npi: 1234567890 }], ['npi']],
  [
    'checks.credential',
    [{ ...license, full_name: 7, first_name: 7, last_name: 7 }],
    ['first_name', 'full_name', 'last_name'],
  ],
  ['checks.credential', [{ ...license, svc_access_token: '' }], ['svc_access_token']],
  ['checks.credential', [{ ...license, do_ai_clean: canary }], ['do_ai_clean']],
  ['checks.credential', [{ ...license, state: canary }], ['state']],
  ['checks.credential', [{ ...license, license_no: canary }], ['license_no']],
  ['checks.credential', [null], ['params']],
  ['checks.kycCredential', [license], ['front_image', 'selfie']],
  ['checks.kycCredential', [{ ...kyc, license_type: undefined }], ['license_type']],
  ['checks.kycCredential', [{ ...kyc, license_state: canary }], ['license_state']],
  ['checks.kycCredential', [{ ...kyc, license_number: undefined }], ['license_number']],
  ['checks.kycCredential', [{ ...kyc, state: canary }], ['state']],
  ['checks.kycCredential', [{ ...kyc, license_no: canary }], ['license_no']],
  ['checks.location', [null], ['params']],
  [
    'checks.location',
    [{ latitude: canary, longitude: Number.NaN, accuracy: Number.POSITIVE_INFINITY }],
    ['accuracy', 'latitude', 'longitude'],
  ],
  [
    'checks.location',
    [{ expected_latitude: '52', expected_longitude: '13' }],
    ['expected_latitude', 'expected_longitude'],
  ],
  ['checks.location', [{ radius_m: canary }], ['radius_m']],
  ['experimental.workflows.create', [canary], ['params']],
  ['checks.credential', [{ ...license, full_name: ' ' }], ['full_name']],
  ['checks.credential', [{ ...license, first_name: '', last_name: 'B' }], ['first_name']],
  ['experimental.workflows.create', [null], ['params']],
  ['experimental.workflows.update', ['wf_1', [canary]], ['params']],
  ['experimental.antispoof.check', [frames(2)], ['frames']],
  ['experimental.antispoof.check', [frames(9)], ['frames']],
  ['experimental.antispoof.check', [{ frames: canary }], ['frames']],
  ['experimental.antispoof.check', [{ image: canary }], ['image']],
  ['experimental.antispoof.check', [null], ['params']],
  ['experimental.antispoof.identity', [frames(0)], ['frames']],
  ['experimental.antispoof.identity', [{ frames: [canary, images.png, 7] }], ['frames.0', 'frames.2']],
  ['experimental.faceUniqueness.check', [frames(9)], ['frames']],
]

const badId = `${canary}\ud800`
const methodsById: Readonly<Record<string, string>> = {
  'sessions.retrieve': 'id',
  'sessions.decision': 'id',
  'sessions.updateStatus': 'id',
  'sessions.waitForDecision': 'id',
  'credentials.listProviders': 'state',
  'experimental.workflows.retrieve': 'id',
  'experimental.workflows.update': 'id',
  'experimental.workflows.delete': 'id',
  'experimental.faceUniqueness.delete': 'svc_uuid',
}
const badIdCases = Object.entries(methodsById).map(
  ([method, path]): Case => [method, method.includes('update') ? [badId, { status: 'APPROVED' }] : [badId], [path]],
)

const badOptions = { headers: { 'Idempotency-Key': canary } }
const badOptionCases = [
  ['sessions.create', [{}, badOptions]],
  ['sessions.retrieve', ['sess_1', badOptions]],
  ['sessions.updateStatus', ['sess_1', { status: 'APPROVED' }, badOptions]],
  ['checks.liveness', [{ image: images.png }, badOptions]],
  ['checks.credential', [license, badOptions]],
].map(([method, args]) => [method, args, ['headers.Idempotency-Key']] as Case)

const cases = [...badParams, ...badIdCases, ...badOptionCases].map(([method, args, paths]) => ({
  method,
  args,
  paths,
  given: shown(args),
}))

it.each(cases)('$method rejects $given, names $paths and sends nothing', async ({ method, args, paths }) => {
  // Rejected, never thrown: a caller's `.catch` has to see it.
  const error: unknown = await callOf(method, args).catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(InvalidParamsError)
  const { issues, message, operation } = error as InvalidParamsError
  expect(issues.map(({ path }) => path).sort()).toEqual(paths)
  expect(`${message} ${JSON.stringify(error)}`).not.toContain(canary)
  expect(error).toMatchObject({ code: 'invalid_params', attempts: 0 })
  // The first read of a wait rejects its id.
  expect([method, 'sessions.retrieve']).toContain(operation)
  expect(service.requests).toEqual([])
})

it('the message says what each field must be', async () => {
  const call = client.checks.age({ dob: '', bands: [18, 1.5] })
  const withAlias = client.checks.credential({ ...license, state: 'NY' } as never)

  await expect(call).rejects.toThrow(
    "checks.age: dob must not be empty; bands.1 must be a whole number, '18', '18+' or 'is_18_plus'",
  )
  await expect(withAlias).rejects.toThrow('state differs from license_state, of which it is an alias')
})

function shown(args: readonly unknown[]): string {
  const text = args.map((arg) => {
    const nested = new Set<unknown>()
    const plain = (_: string, value: unknown) => {
      if (value instanceof Uint8Array) return `${value.byteLength} bytes`
      if (typeof value === 'bigint' || typeof value === 'symbol') return String(value)
      if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
      if (typeof value === 'object' && value !== null && nested.has(value)) return 'itself'
      nested.add(value)
      return value
    }
    return JSON.stringify(arg, plain) ?? 'undefined'
  })
  return `(${text.join(', ')})`.slice(0, 80)
}
