// Misspelled on purpose: cspell:ignore REVEIW aproved notifiy vendordata

/** A call of the public API, as users write it, and a field that it does not have. */
export interface WrongField {
  /** What takes the field. Names a type if the call has more than one. */
  readonly title: string
  /** TypeScript that compiles if `…` is replaced with nothing. */
  readonly code: string
  /** The field in place of `…`: its name is not one of those that fit. */
  readonly field: string
}

const of = (title: string, code: string, field: string): WrongField => ({ title, code, field })

/** What the calls use. */
export const prelude = `
  import * as sdk from 'identity-service-sdk'
  import { createEmulator } from 'identity-service-sdk/emulator'
  import { expressSignIn, expressWebhook } from 'identity-service-sdk/express'
  import type { FastifyWebhookOptions } from 'identity-service-sdk/fastify'
  import { mswHandlers } from 'identity-service-sdk/msw'
  import { postgresStore, type PostgresPool } from 'identity-service-sdk/stores/postgres'
  import { redisStore, type IoRedisClient } from 'identity-service-sdk/stores/redis'
  import { testStore } from 'identity-service-sdk/stores/testing'
  declare const client: sdk.VerificationClient
  declare const oidc: sdk.OidcClient
  declare const org: sdk.OrgClient
  declare const store: ReturnType<typeof sdk.memoryStore>
  declare const bytes: Uint8Array
  declare const verifications: sdk.VerificationManager
  declare const tokens: sdk.TokenManager
  declare const handler: sdk.WebhookHandler
  declare function webhookPlugin(options: FastifyWebhookOptions): void
  declare const pool: PostgresPool
  declare const redis: IoRedisClient
  const emulator = createEmulator()
`

const license = "license_state: 'CA', license_number: 'RN-1', license_type: 'Registered Nurse'"
const delivery = "body: '{}', headers: {}, secret: 'secret'"

/** One for each public type of params and options. */
export const wrongFields: readonly WrongField[] = [
  of('SessionCreateParams', "client.sessions.create({ workflow_id: 'wf_1', … })", "vendordata: 'user-42'"),
  of('SessionListParams', "client.sessions.list({ status: 'IN_REVIEW', … })", 'limits: 5'),
  of('SessionStatusUpdate', "client.sessions.updateStatus('sess_1', { status: 'APPROVED', … })", "by: 'ann'"),
  of('RequestOptions', "client.sessions.retrieve('sess_1', { maxRetries: 0, … })", 'timeout: 500'),
  of('WaitOptions', "client.sessions.waitForDecision('sess_1', { maxRetries: 0, … })", 'pollInterval: 500'),
  of(
    'WaitOptions, until a review',
    "client.sessions.waitForDecision('sess_1', { until: 'IN_REVIEW', … })",
    'pollInterval: 500',
  ),
  of('IdVerificationParams', 'client.checks.idVerification({ front_image: bytes, … })', 'backImage: bytes'),
  of('LivenessParams', 'client.checks.liveness({ image: bytes, … })', 'selfie: bytes'),
  of('FaceMatchParams', 'client.checks.faceMatch({ image1: bytes, image2: bytes, … })', 'image3: bytes'),
  of('NamedImage', 'client.checks.liveness({ image: { data: bytes, … } })', "fileName: 'face.png'"),
  of('Base64Image', "client.checks.liveness({ image: { base64: 'AAAA', … } })", "mimeType: 'image/png'"),
  of('ImageRequestOptions', 'client.checks.liveness({ image: bytes }, { maxRetries: 1, … })', 'onProgress() {}'),
  of('AgeParams', "client.checks.age({ dob: '1990-01-01', bands: [18], … })", 'band: 21'),
  of('CredentialParams', `client.checks.credential({ ${license}, … })`, 'do_ai_cleanup: true'),
  of('CredentialParams, an alias', `client.checks.credential({ ${license}, … })`, "state: 'CA'"),
  of(
    'CredentialParams of a provider',
    "client.checks.credential({ license_state: 'CA', license_number: '1', provider_code: 'p', … })",
    "licenseNumber: '1'",
  ),
  of(
    'CredentialParams with a name',
    `client.checks.credential({ ${license}, full_name: 'Ada Lovelace', … })`,
    'doAiClean: true',
  ),
  of(
    'CredentialParams with two names',
    `client.checks.credential({ ${license}, first_name: 'Ada', last_name: 'Lovelace', … })`,
    "middle_name: 'Byron'",
  ),
  of(
    'KycCredentialParams',
    `client.checks.kycCredential({ ${license}, front_image: bytes, selfie: bytes, … })`,
    'back: bytes',
  ),
  of('LocationParams', 'client.checks.location({ latitude: 1, longitude: 2, … })', 'radius: 5'),
  of('RawRequest', "client.request({ method: 'GET', path: '/api/v2/usage', … })", 'params: {}'),
  of('VerificationClientOptions', "new sdk.VerificationClient({ apiKey: 'key', … })", 'timeout: 500'),
  of('VerificationManagerOptions', 'sdk.createVerificationManager({ client, store, session: {}, … })', 'limits: {}'),
  of(
    'VerificationSessionParams',
    'sdk.createVerificationManager({ client, store, session: { ttl_seconds: 60, … } })',
    "workflow: 'wf_1'",
  ),
  of(
    'VerificationLimit',
    'sdk.createVerificationManager({ client, store, session: {}, limit: { sessions: 1, perMs: 1, … } })',
    'perDay: 5',
  ),
  of('VerificationSessionParams of a start', "verifications.start('user-42', { ttl_seconds: 60, … })", "vendor: 'x'"),
  of('StartOptions', "verifications.start('user-42', {}, { renew: 'never', … })", 'force: true'),
  of('EnsureApprovedOptions', "verifications.ensureApproved('user-42', { maxAgeMs: 5, … })", 'maxAge: 5'),
  of(
    'ReviewParams',
    "verifications.review('user-42', { sessionId: 's', status: 'DECLINED', by: 'ann', reason: 'blurred', … })",
    "note: 'x'",
  ),
  of('ReconcileOptions', 'verifications.reconcile({ concurrency: 2, … })', 'olderThan: 5'),
  of('OrgClientOptions', "new sdk.OrgClient({ clientId: 'id', … })", "secret: 'x'"),
  of('AddParams', "org.members.add({ members: [{ email: 'ada@example.com' }], … })", 'notifiy: true'),
  of('NewMember', "org.members.add({ members: [{ email: 'ada@example.com', … }] })", "firstName: 'Ada'"),
  of('AddAllOptions', 'org.members.addAll([], { notify: true, … })', 'batchSize: 5'),
  of('NewMember of addAll', "org.members.addAll([{ email: 'ada@example.com', … }])", "firstName: 'Ada'"),
  of('InviteAllOptions', "org.members.inviteAll(['vmem_1'], { maxRetries: 1, … })", 'concurrency: 5'),
  of('ResolveParams', "org.members.resolve({ email: 'ada@example.com', … })", "svcId: 'svc_1'"),
  of('RemoveParams', "org.members.remove('vmem_1', { permanent: true, … })", 'force: true'),
  of('OidcClientOptions', "new sdk.OidcClient({ clientId: 'id', … })", "redirect_uri: 'x'"),
  of('JwksOptions', 'new sdk.OidcClient({ jwks: { cacheMs: 5, … } })', 'cache: 5'),
  of('AuthorizationParams', 'oidc.createAuthorization({ pkce: true, … })', "prompt: 'login'"),
  of('AuthorizationParams without PKCE', 'oidc.createAuthorization({ pkce: false, … })', "prompt: 'login'"),
  of(
    'StartedSignIn',
    "oidc.handleCallback('/callback', { state: 's', nonce: 'n', codeVerifier: 'v', … })",
    "redirect_uri: 'x'",
  ),
  of('ExchangeParams', "oidc.exchangeCode({ code: 'c', … })", "code_verifier: 'x'"),
  of('RefreshParams', "oidc.refresh('token', { expected: { sub: 's' }, … })", "scope: 'openid'"),
  of('RefreshParams.expected', "oidc.refresh('token', { expected: { sub: 's', … } })", "issuer: 'x'"),
  of('IdTokenExpectations', "oidc.validateIdToken('token', { nonce: 'n', … })", "access_token: 'x'"),
  of('AccessTokenExpectations', "oidc.validateAccessToken('token', { audience: 'a', … })", "scopes: 'x'"),
  of('RawBearerRequest', "oidc.request({ method: 'GET', path: '/me', accessToken: 't', … })", "token: 'x'"),
  of('LegacyExchangeParams', "oidc.legacy.exchangeCode({ code: 'c', … })", "redirect_uri: 'x'"),
  of('LegacyRefreshParams', "oidc.legacy.refresh('token', { auth: 'basic', … })", 'rotate: true'),
  of(
    'ValidateIdTokenOptions',
    "sdk.validateIdToken('token', { jwks: { keys: [] }, issuer: 'i', audience: 'a', … })",
    'tolerance: 5',
  ),
  of('TokenManagerOptions', 'sdk.createTokenManager({ oidc, store, … })', "encryption: 'x'"),
  of('getAccessToken', "tokens.getAccessToken('user-42', { minValiditySeconds: 5, … })", 'minValidity: 5'),
  of('SignInHandlerOptions', 'sdk.createSignInHandler({ oidc, store, onSignIn() {}, … })', "secret: 'x'"),
  of(
    'SignInOptions.paths',
    "sdk.createSignInHandler({ oidc, store, onSignIn() {}, paths: { login: '/login', … } })",
    "logout: '/logout'",
  ),
  of('ExpressSignInOptions', 'expressSignIn({ oidc, store, onSignIn() {}, … })', "secret: 'x'"),
  of('LoginMarkerOptions', "sdk.loginMarkers({ secret: 's', store, … })", 'ttlMs: 5'),
  of('MemoryStoreOptions', 'sdk.memoryStore({ maxEntries: 5, … })', 'max: 5'),
  of('VerifyWebhookParams', `sdk.verifyWebhook({ ${delivery}, … })`, 'tolerance: 5'),
  of('VerifyWebhookParams of the signature', `sdk.verifyWebhookSignature({ ${delivery}, … })`, 'tolerance: 5'),
  of('SignWebhookParams of an event', "sdk.signWebhook({ event: {}, secret: 's', … })", 'time: 5'),
  of('SignWebhookParams of a body', "sdk.signWebhook({ body: '{}', secret: 's', … })", 'time: 5'),
  of('WebhookHandlerOptions', 'sdk.createWebhookHandler({ onTestEvent: () => {}, … })', 'onError2() {}'),
  of(
    'WebhookCallbacks',
    "sdk.createWebhookHandler({ on: { 'verification.approved': (event) => event.session_id, … } })",
    "'verification.aproved': () => 0",
  ),
  of('EventProcessorOptions', 'sdk.createEventProcessor({ onTestEvent: () => {}, … })', "secret: 'x'"),
  of('WebhookDelivery', "handler.handle({ body: '{}', headers: {}, … })", "secret: 'x'"),
  of('expressWebhook', "expressWebhook({ secret: 's', onTestEvent: () => {}, … })", "path: '/webhooks'"),
  of('FastifyWebhookOptions', "webhookPlugin({ path: '/webhooks', onTestEvent: () => {}, … })", "route: '/'"),
  of('RedisStoreOptions', "redisStore(redis, { prefix: 'p', … })", 'ttl: 5'),
  of('PostgresStoreOptions', "postgresStore(pool, { table: 't', … })", "schema: 's'"),
  of('StoreTestOptions', 'testStore(() => store, { advance() {}, … })', 'clock: 5'),
  of('EmulatorOptions', "createEmulator({ apiKey: 'key', … })", 'port: 4010'),
  of('EmulatorOidcOptions', "createEmulator({ oidc: { clientId: 'id', … } })", "redirectUri: 'x'"),
  of('EmulatorOrganizationOptions', "createEmulator({ org: { name: 'Acme', … } })", "id: 'x'"),
  of('EmulatorWebhookOptions', "createEmulator({ webhooks: { secret: 's', … } })", "destination: 'x'"),
  of('EmulatorWalletOptions', 'createEmulator({ wallet: { balance: 5, … } })', 'price: 5'),
  of('EmulatorMember', "createEmulator({ members: [{ email: 'ada@example.com', … }] })", "name: 'x'"),
  of('EmulatorReadings', "createEmulator({ readings: { expiry: 'any_status', … } })", 'other: 5'),
  of('ListenOptions', 'emulator.listen({ port: 0, … })', "hostname: 'x'"),
  of('Fault', "emulator.faults.add({ match: 'sessions.create', status: 500, … })", 'time: 5'),
  of('DeliveryFault', "emulator.webhooks.faults.add({ kind: 'late', … })", 'delayMs: 5'),
  of('CheckOutcome', "emulator.checks.script('liveness', { status: 'failed', … })", "reason: 'x'"),
  of('sessions.complete', "emulator.sessions.complete('sess_1', 'APPROVED', { checks: {}, … })", 'check: {}'),
  of('MswHandlersOptions', "mswHandlers(emulator, { baseUrl: 'https://id.example.com', … })", "url: 'x'"),
  of('ApiErrorFacts', "new sdk.NotFoundError({ code: 'not_found', message: 'no', … })", 'status: 404'),
]

/** A value that does not fit its field. The compiler must point at the field. */
export const wrongValues: readonly WrongField[] = [
  of('a path in place of an image', 'client.checks.liveness({ … })', "image: 'uploads/passport'"),
  of('base64 in place of an image', 'client.checks.liveness({ … })', "image: 'aGVsbG8='"),
  of('text as the data of an image', 'client.checks.liveness({ … })', "image: { data: 'aGVsbG8=' }"),
  of('bytes as base64', 'client.checks.liveness({ … })', 'image: { base64: bytes }'),
  of('data next to base64', 'client.checks.liveness({ … })', "image: { base64: 'AAAA', data: bytes }"),
  of('an object as the data of an image', 'client.checks.liveness({ … })', "image: { data: { base64: 'AAAA' } }"),
  of('a function that returns a function', 'client.checks.liveness({ … })', 'image: () => () => bytes'),
  of('a name without an image', 'client.checks.liveness({ … })', "image: { filename: 'selfie.jpg' }"),
  of('a function that returns text', 'client.checks.liveness({ … })', "image: () => 'aGVsbG8='"),
  of('a path in one of two images', 'client.checks.faceMatch({ image1: bytes, … })', "image2: 'selfie.jpg'"),
  of(
    'a path in the combined check',
    `client.checks.kycCredential({ ${license}, front_image: bytes, … })`,
    "selfie: 'selfie.jpg'",
  ),
  of('a number in place of text', "client.sessions.create({ workflow_id: 'wf_1', … })", 'vendor_data: 42'),
  of(
    'the number of a license',
    "client.checks.credential({ license_state: 'CA', license_type: 'RN', … })",
    'license_number: 5',
  ),
  of('a code of a provider', `client.checks.credential({ ${license}, … })`, 'provider_code: 5'),
  of('the name of a holder', `client.checks.credential({ ${license}, … })`, 'full_name: 5'),
  of('a date in place of text', 'client.checks.age({ bands: [18], … })', 'dob: new Date()'),
  of('bands as text', "client.checks.age({ dob: '1990-01-01', … })", "bands: '18+'"),
  of('true as a band', "client.checks.age({ dob: '1990-01-01', … })", 'bands: [true]'),
  of('no such state to wait for', "client.sessions.waitForDecision('sess_1', { … })", "until: 'DECLINED'"),
  of('text as an interval', "client.sessions.waitForDecision('sess_1', { … })", "pollIntervalMs: '5'"),
  of('no such method', "client.request({ path: '/api/v2/usage', … })", "method: 'HEAD'"),
  of('an object in a query', "client.request({ method: 'GET', path: '/', … })", 'query: { filter: { a: 1 } }'),
  of('text as a body', "client.request({ method: 'PUT', path: '/', … })", "body: '{}'"),
  of('a number as a header', "client.sessions.retrieve('sess_1', { … })", "headers: { 'x-tenant': 5 }"),
  of('an event to verify', 'sdk.signWebhook({ … })', "event: 'approved'"),
  of('a PKCE that is text', 'oidc.createAuthorization({ … })', "pkce: 'S256'"),
]
