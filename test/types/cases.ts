// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the lines are TypeScript
/** A line of a program. */
export interface Case {
  readonly title: string
  readonly code: string
  /** Why a right one does not compile, or a wrong one does. */
  readonly reason?: string
}

/** What the lines use. */
export const prelude = `
import * as sdk from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'
declare const client: sdk.VerificationClient; declare const oidc: sdk.OidcClient; declare const org: sdk.OrgClient
declare const session: sdk.Session; declare const decision: sdk.Decision; declare const check: sdk.Check; declare const event: sdk.WebhookEvent
declare const apiError: sdk.ApiError; declare const member: sdk.Member; declare const added: sdk.AddedMember; declare const skipped: sdk.SkippedMember
declare const err: unknown; declare const basic: sdk.Store; declare const fetchish: typeof fetch; declare const dispatcher: sdk.DispatcherLike
declare const scannable: sdk.ScannableStore; declare const inbox: sdk.EventInbox<{q(): void}>; declare const wr: sdk.WebhookResult; declare const v: sdk.Verification; declare const str: string
declare const sdkErr: sdk.AnySdkError; declare const sres: sdk.StandaloneResult<'liveness'>; declare const wf: sdk.Workflow; declare const claims: sdk.IdTokenClaims; declare const tok: sdk.TokenSet; declare const cs: sdk.CheckSummary; declare const chg: sdk.VerificationChange; declare const bulkItem: sdk.AddAllItem; declare const re: sdk.RequestEvent; declare const bill: sdk.BillingSummary
declare const env: string | undefined; declare const hs: Headers; declare const anyStatus: sdk.SessionStatus; declare const code: sdk.ErrorCode; declare const buf: Buffer; interface Report { readonly name: string } declare const report: Report; declare const tokenFields: sdk.SignedInTokens; type UserId2 = string & { readonly __brand: 'user' }; declare const uid: UserId2
declare const logger: { debug(m: string): void; info(m: string): void; warn(m: string): void; error(m: string): void }
type UserId = \`u_\${string}\`
`

/** Lines that are wrong, so that they must not compile. */
export const wrongCases: readonly Case[] = [
  { title: 'status ===', code: "session.status === 'APROVED';" },
  { title: 'status !==', code: "session.status !== 'aproved';" },
  { title: 'status switch', code: "switch (session.status) { case 'IN_REVEIW': break }" },
  { title: 'decision.status', code: "decision.status === 'PASSED';" },
  { title: 'decision.decision', code: "decision.decision === 'IN_REVIEW';" },
  { title: 'event.status', code: "event.status === 'APROVED';" },
  { title: 'event.decision.status', code: "event.decision?.status === 'APROVED';" },
  { title: 'event.decision.checks status', code: "event.decision?.checks?.[0]?.status === 'pass';" },
  { title: 'check status', code: "check.status === 'pased';" },
  { title: 'check type', code: "check.type === 'livness';" },
  { title: 'check type switch', code: "switch (check.type) { case 'facematch': break }" },
  { title: 'event type', code: "event.type === 'verification.aproved';" },
  { title: 'event type switch', code: "switch (event.type) { case 'verification.approve': break }" },
  { title: 'error code ===', code: "apiError.code === 'alredy_decided';" },
  { title: 'error code switch', code: "switch (apiError.code) { case 'notfound': break }" },
  { title: 'error code after isSdkError', code: "if (sdk.isSdkError(err) && err.code === 'time_out') {}" },
  { title: 'error name', code: "if (sdk.isSdkError(err) && err.name === 'NotFound') {}" },
  { title: 'isErrorCode', code: "sdk.isErrorCode(err, 'time_out');" },
  {
    title: 'error status',
    code: "if (sdk.isSdkError(err) && err.name === 'NotFoundError' && err.status === 400) {}",
  },
  {
    title: 'reason webhook',
    code: "if (sdkErr.name === 'WebhookVerificationError' && sdkErr.reason === 'signature') {}",
  },
  { title: 'reason callback', code: "if (sdkErr.name === 'CallbackError' && sdkErr.reason === 'state') {}" },
  { title: 'member status', code: "member.status === 'actve';" },
  { title: 'member role', code: "member.role === 'boss';" },
  { title: 'invite method', code: "added.invite_method === 'fax';" },
  { title: 'skip reason', code: "skipped.reason === 'dup';" },
  { title: 'scope', code: "(['openid'] as sdk.Scope[]).includes('profil');" },
  { title: 'scope ===', code: "(null! as sdk.Scope) === 'profil';" },
  { title: 'scope input', code: "oidc.createAuthorization({ scope: ['profil'] });" },
  { title: 'scope option', code: "new sdk.OidcClient({ scope: ['opnid'] });" },
  { title: 'scope validateAccessToken', code: "oidc.validateAccessToken('t', { scope: 'profil' });" },
  { title: 'features', code: "session.features.includes('livness');" },
  { title: 'features some', code: "session.features.some((f) => f === 'livness');" },
  { title: 'workflow features', code: "wf.features.includes('livness');" },
  { title: 'list status', code: "client.sessions.list({ status: 'IN_REVEIW' });" },
  { title: 'updateStatus', code: "client.sessions.updateStatus('s', { status: 'APPROVE' });" },
  { title: 'checkSummary type', code: "cs.type === 'livness';" },
  { title: 'checkSummary status', code: "cs.status === 'pased';" },
  { title: 'verification state', code: "v.state === 'aproved';" },
  { title: 'change.to', code: "chg.to === 'aproved';" },
  { title: 'webhook outcome', code: "wr.outcome === 'rejectd';" },
  { title: 'bulk outcome', code: "bulkItem.outcome === 'ok';" },
  { title: 'request event type', code: "re.type === 'respons';" },
  {
    title: 'waitForDecision onStatus',
    code: "client.sessions.waitForDecision('s', { onStatus: (s) => s === 'APROVED' });",
  },
  {
    title: 'age band error',
    code: "(null! as sdk.AgeResult).check.data.bands?.['18']?.error === 'unknwn_band';",
  },
  { title: 'license mode', code: "(null! as sdk.CredentialData).mode === 'serch';" },
  { title: 'location source', code: "(null! as sdk.LocationData).source === 'gpss';" },
  {
    title: 'operation name of event',
    code: "re.operation === 'session.create';",
    reason:
      '`operation` is a string: raw requests and methods of later versions have names that this one does not list.',
  },
  {
    title: 'billing status',
    code: "bill.subscription?.status === 'actve';",
    reason: 'The contract does not list the statuses of a subscription, so the field is a string.',
  },
  {
    title: 'token_type',
    code: "tok.token_type === 'bearr';",
    reason: 'The contract shows one value and lists none, so the field is a string.',
  },
  { title: 'image path', code: "client.checks.liveness({ image: 'uploads/passport' });" },
  { title: 'image string var', code: 'client.checks.liveness({ image: str });' },
  { title: 'image fn', code: 'client.checks.liveness({ image: () => str });' },
  { title: 'image async fn', code: 'client.checks.liveness({ image: async () => str });' },
  { title: 'image data str', code: 'client.checks.liveness({ image: { data: str } });' },
  {
    title: 'image in kyc',
    code: "client.checks.kycCredential({ front_image: 'a.jpg', selfie: new Uint8Array(), license_state: 'CA', license_number: '1', license_type: 'RN' });",
  },
  { title: 'image antispoof', code: "client.experimental.antispoof.check({ image: 'uploads/passport' });" },
  {
    title: 'image antispoof frames',
    code: "client.experimental.antispoof.check({ frames: ['a','b','c'] });",
  },
  {
    title: 'request image',
    code: "client.request({ method: 'POST', path: '/api/v2/liveness', body: { image: 'uploads/passport' } });",
    reason: 'The body of a raw request is any object. At run time, text that is not a data URL is rejected.',
  },
  { title: 'workflows.create([x])', code: "client.experimental.workflows.create(['x']);" },
  { title: 'workflows.create(x)', code: "client.experimental.workflows.create('x');" },
  { title: 'antispoof.check([x])', code: "client.experimental.antispoof.check(['x']);" },
  { title: 'faceUniqueness.check([x])', code: "client.experimental.faceUniqueness.check(['x']);" },
  { title: 'old workflows', code: 'client.workflows;' },
  {
    title: 'basic store -> manager',
    code: '{ const m: sdk.VerificationManager = sdk.createVerificationManager({ client, store: basic, session: {} }) }',
  },
  {
    title: 'union store -> manager',
    code: '{ const m: sdk.VerificationManager = sdk.createVerificationManager({ client, store: Math.random() > 0.5 ? basic : scannable, session: {} }) }',
  },
  {
    title: 'options var -> manager',
    code: '{ const o: sdk.VerificationManagerOptions = { client, store: scannable, session: {} }; const m: sdk.VerificationManager = sdk.createVerificationManager(o) }',
  },
  {
    title: 'reconcile basic',
    code: 'sdk.createVerificationManager({ client, store: basic, session: {} }).reconcile();',
  },
  {
    title: 'explicit type arg with basic store',
    code: '{ const m: sdk.VerificationManager<UserId> = sdk.createVerificationManager<UserId>({ client, store: basic, session: {} }) }',
  },
  {
    title: 'lie type arg',
    code: 'sdk.createVerificationManager<string, sdk.ScannableStore>({ client, store: basic, session: {} });',
  },
  {
    title: 'wide annotation then manager',
    code: '{ const b: sdk.BasicVerificationManager = sdk.createVerificationManager({ client, store: scannable, session: {} }); const m: sdk.VerificationManager = b }',
  },
  {
    title: 'subject',
    code: "{ const m = sdk.createVerificationManager<UserId>({ client, store: scannable, session: {} }); m.start('ada') }",
  },
  {
    title: 'manager<UserId> as manager',
    code: '{ const m = sdk.createVerificationManager<UserId>({ client, store: scannable, session: {} }); const w: sdk.VerificationManager = m }',
  },
  {
    title: 'manager<UserId> basic as basic',
    code: '{ const m = sdk.createVerificationManager<UserId, sdk.Store>({ client, store: basic, session: {} }); const w: sdk.BasicVerificationManager = m }',
  },
  { title: 'fetch+dispatcher', code: 'new sdk.VerificationClient({ fetch: fetchish, dispatcher });' },
  {
    title: 'fetch+dispatcher spread',
    code: '{ const o = { fetch: fetchish, dispatcher }; new sdk.VerificationClient(o) }',
  },
  { title: 'store+inbox', code: "sdk.createWebhookHandler({ secret: 's', store: basic, inbox, on: {} });" },
  { title: 'handler nothing', code: "sdk.createWebhookHandler({ secret: 's' });" },
  { title: 'handler onError only', code: "sdk.createWebhookHandler({ secret: 's', onError() {} });" },
  {
    title: 'empty consumers',
    code: "sdk.createWebhookHandler({ secret: 's', consumers: [] });",
    reason: 'An array type does not show its length. At run time it is a `ConfigurationError`.',
  },
  {
    title: 'empty on',
    code: "sdk.createWebhookHandler({ secret: 's', on: {} });",
    reason: 'All callbacks are optional, so `{}` fits. At run time it is a `ConfigurationError`.',
  },
  {
    title: 'on typo',
    code: "sdk.createWebhookHandler({ secret: 's', on: { 'verification.aproved': () => {} } });",
  },
  { title: 'memoryStore now number', code: 'sdk.memoryStore({ now: () => 0 });' },
  { title: 'list options as params org', code: 'org.members.list({ timeoutMs: 5 });' },
  { title: 'list options as params states', code: 'client.credentials.listStates({ timeoutMs: 5 });' },
  { title: 'list options as params sessions', code: 'client.sessions.list({ timeoutMs: 5 });' },
  {
    title: 'experimental list options as params',
    code: 'client.experimental.workflows.list({ timeoutMs: 5 });',
  },
  {
    title: 'for await members of list data',
    code: '{ for await (const m of org.members.list()) { m.session_id } }',
  },
  { title: 'bulk not awaited arr', code: '{ const x: sdk.AddAllSummary = org.members.addAll([]) }' },
  { title: 'unlistedFields without ?', code: 'sdk.unlistedFields(session).workflow_id;' },
  { title: 'error construct', code: "new sdk.NotFoundError({ code: 'nope', message: '' });" },
  { title: 'ids cross', code: 'client.sessions.retrieve(member.member_id);' },
  { title: 'ids cross event', code: 'client.sessions.retrieve(event.event_id);' },
  { title: 'emulator complete status', code: "createEmulator().sessions.complete('s', 'APROVED');" },
  { title: 'emulator status compare', code: "createEmulator().sessions.list?.()[0].status === 'APROVED';" },
  {
    title: 'ensureApproved checks',
    code: "(null! as sdk.VerificationManager).ensureApproved('u', { checks: ['livness'] });",
  },
  {
    title: 'requires',
    code: "sdk.createVerificationManager({ client, store: scannable, session: {}, requires: ['livness'] });",
  },
  {
    title: 'credential alias',
    code: "client.checks.credential({ state: 'CA', license_number: '1', license_type: 'RN' });",
  },
  { title: 'withOptions fetch', code: 'client.withOptions({ fetch: fetchish });' },
  {
    title: 'validateIdToken Claims',
    code: "{ const c = await oidc.validateIdToken<{ tenant: number }>('t'); const s: string = c.tenant }",
  },
  {
    title: 'unknown claim w/o generic',
    code: "{ const c = await oidc.validateIdToken('t'); c.tenant.toFixed() }",
  },
  { title: 'dob string check', code: 'client.checks.age({ dob: new Date(), bands: [18] });' },
  { title: 'query null', code: "client.request({ method: 'GET', path: '/', query: { a: null } });" },
  { title: 'request body string', code: "client.request({ method: 'PUT', path: '/', body: 'x' });" },
  { title: 'onProgress number', code: 'org.members.inviteAll([], { onProgress: (n: number) => n });' },
  {
    title: 'timeoutMs of a wait',
    code: "client.sessions.waitForDecision('s', { timeoutMs: 60_000 });",
    reason: 'It is the limit of one attempt, as everywhere else. The limit of the wait is `deadlineMs`.',
  },
  {
    title: 'status of the catalog',
    code: '(null! as sdk.ErrorCatalogEntry).statuses?.includes(999);',
    reason: '`statuses` is a list of numbers, for any status that the service sends.',
  },
]

/** Lines that are right, so that they must compile. */
export const rightCases: readonly Case[] = [
  {
    title: 'image dataurl var',
    code: '{ const image: `data:${string}` = `data:image/png;base64,${str}`; client.checks.liveness({ image }) }',
  },
  { title: 'image template', code: 'client.checks.liveness({ image: `data:image/png;base64,${str}` });' },
  { title: 'image buffer', code: 'client.checks.liveness({ image: buf });' },
  {
    title: 'image buffer in object',
    code: "client.checks.liveness({ image: { data: buf, filename: 'a.png' } });",
  },
  {
    title: 'image base64 fn',
    code: "client.checks.liveness({ image: async () => ({ base64: buf.toString('base64') }) });",
  },
  { title: 'image file', code: "client.checks.liveness({ image: sdk.imageFromFile('a.png') });" },
  {
    title: 'image file named',
    code: "client.checks.liveness({ image: { data: sdk.imageFromFile('a.png'), contentType: 'image/png' } });",
  },
  {
    title: 'image startsWith narrowing',
    code: "{ if (str.startsWith('data:')) client.checks.liveness({ image: { base64: str } }) }",
  },
  { title: 'input from output status', code: 'client.sessions.list({ status: session.status });' },
  { title: 'input from output status any', code: 'client.sessions.list({ status: anyStatus });' },
  { title: 'role back', code: 'org.members.add({ members: [{ email: member.email, role: member.role }] });' },
  { title: 'scopes back', code: 'oidc.createAuthorization({ scope: sdk.scopes });' },
  {
    title: 'scopes of token string',
    code: "oidc.createAuthorization({ scope: sdk.scopes.filter((s) => tok.scope?.split(' ').includes(s)) });",
  },
  { title: 'isErrorCode var', code: 'sdk.isErrorCode(err, code);' },
  { title: 'isErrorCode of error.code', code: 'if (sdk.isSdkError(err)) sdk.isErrorCode(err, err.code);' },
  {
    title: 'isErrorCode of list var',
    code: "{ const retry = ['rate_limited', 'internal_error'] as const; sdk.isErrorCode(err, ...retry) }",
  },
  {
    title: 'isErrorCode string var',
    code: 'sdk.isErrorCode(err, str);',
    reason:
      'A `string` narrows to nothing, and a misspelled literal must not compile. Compare `error.code` with it, or pass an `ErrorCode`.',
  },
  { title: 'describeErrorCode string', code: 'sdk.describeErrorCode(str)?.meaning;' },
  { title: 'describe code', code: 'sdk.describeErrorCode(code)?.meaning;' },
  {
    title: 'ensureApproved checks from features',
    code: "(null! as sdk.VerificationManager).ensureApproved('u', { checks: session.features });",
  },
  {
    title: 'requires from features',
    code: 'sdk.createVerificationManager({ client, store: scannable, session: {}, requires: session.features });',
  },
  { title: 'findCheck by check.type', code: 'sdk.findCheck(decision, check.type);' },
  {
    title: 'workflow create from workflow',
    code: 'client.experimental.workflows.create({ name: wf.name, features: wf.features });',
  },
  { title: 'workflow create interface', code: 'client.experimental.workflows.create(report);' },
  { title: 'workflow update interface', code: 'client.experimental.workflows.update(wf.id, report);' },
  {
    title: 'antispoof interface',
    code: '{ interface Spoof { image: Uint8Array } const s: Spoof = { image: buf }; client.experimental.antispoof.check(s) }',
  },
  { title: 'request interface body', code: "client.request({ method: 'PUT', path: '/x', body: report });" },
  { title: 'request array body', code: "client.request({ method: 'POST', path: '/x', body: [report] });" },
  {
    title: 'request readonly array body',
    code: "client.request({ method: 'POST', path: '/x', body: [report] as readonly Report[] });",
  },
  {
    title: 'request query arrays dates',
    code: "client.request({ method: 'GET', path: '/x', query: { a: ['x', 'y'], since: new Date(), n: [1, new Date()], u: undefined } });",
  },
  {
    title: 'request query interface',
    code: "{ interface Q { status?: string; since?: Date } const q: Q = {}; client.request({ method: 'GET', path: '/x', query: q }) }",
  },
  {
    title: 'request options interface',
    code: "{ interface O extends sdk.RequestOptions { trace?: string } const o: O = {}; client.sessions.retrieve('s', o) }",
  },
  {
    title: 'org.request',
    code: "org.request({ method: 'PUT', path: '/api/sdk/x', body: report, query: { a: [1] } });",
  },
  { title: 'headers Headers', code: "client.sessions.retrieve('s', { headers: hs });" },
  { title: 'headers undefined', code: "client.sessions.retrieve('s', { headers: { a: env } });" },
  { title: 'headers client', code: 'new sdk.VerificationClient({ headers: new Headers() });' },
  {
    title: 'bands number[]',
    code: "{ const bands: number[] = [18]; const r = await client.checks.age({ dob: '2000-01-01', bands }); r.check.data.bands?.is_18_plus?.verified }",
  },
  {
    title: 'bands readonly number[]',
    code: "{ const bands: readonly number[] = [18]; await client.checks.age({ dob: '2000-01-01', bands }) }",
  },
  {
    title: 'bands string[]',
    code: "{ const bands: string[] = ['18+']; const r = await client.checks.age({ dob: '2000-01-01', bands }); r.check.data.bands?.['18+']?.verified }",
  },
  {
    title: 'AgeResult to StandaloneResult',
    code: "{ const r: sdk.StandaloneResult<'age'> = await client.checks.age({ dob: '', bands: [18] }) }",
  },
  { title: 'env ids', code: 'client.sessions.create({ workflow_id: process.env.WF });' },
  { title: 'env id retrieve', code: "client.sessions.retrieve(process.env.ID ?? '');" },
  {
    title: 'env secrets',
    code: "sdk.createWebhookHandler({ secret: process.env.S, on: { 'verification.approved': () => {} } });",
  },
  {
    title: 'env clients',
    code: 'new sdk.OidcClient({ clientId: process.env.A, clientSecret: process.env.B, redirectUri: process.env.C });',
  },
  {
    title: 'fields null',
    code: "{ const c = sdk.findCheck(decision, 'id_verification'); c?.data.fields?.full_name?.toUpperCase() }",
  },
  {
    title: 'fake client literal',
    code: 'sdk.createVerificationManager({ client: { sessions: { create: async () => session, list: async () => [session], retrieve: async () => session, decision: async () => decision, updateStatus: async () => session } }, store: scannable, session: {} });',
  },
  {
    title: 'fake resource: Sessions',
    code: "{ const f: sdk.Sessions = { create: () => sdk.apiPromise(session), list: () => sdk.apiPromise([session]), retrieve: () => sdk.apiPromise(session), decision: () => sdk.apiPromise(decision), updateStatus: () => sdk.apiPromise(session), waitForDecision: async () => ({ ...decision, decision: 'APPROVED' as const }) } }",
  },
  {
    title: 'fake resource: Sessions async',
    code: "{ const f: Pick<sdk.Sessions, 'retrieve'> = { retrieve: async () => session } }",
    reason:
      'Callers of a resource may use `.withResponse()`, which a promise lacks: return `apiPromise(session)`. Our own functions accept an async function.',
  },
  {
    title: 'fake Checks',
    code: "{ const f: Pick<sdk.Checks, 'liveness'> = { liveness: () => sdk.apiPromise(sres) } }",
  },
  {
    title: 'fake Checks async',
    code: "{ const f: Pick<sdk.Checks, 'liveness'> = { liveness: async () => sres } }",
    reason: 'As above: return `apiPromise(result)`.',
  },
  {
    title: 'fake Credentials',
    code: '{ const f: sdk.Credentials = { listStates: () => sdk.apiPromise([]), listProviders: () => sdk.apiPromise([]) } }',
  },
  {
    title: 'fake Members list',
    code: "{ const f: Pick<sdk.Members, 'list'> = { list: () => sdk.apiPromise({ members: [member], organization: { id: 1, name: 'a' } }) } }",
  },
  {
    title: 'fake Members addAll',
    code: "{ const f: Pick<sdk.Members, 'addAll'> = { addAll: async () => ({ created: 0, skipped: 0, failed: 0, failures: [] }) } }",
    reason: 'Bulk work can be iterated, which a promise cannot: return `bulkOf(items, summary)`.',
  },
  { title: 'fake Billing', code: '{ const f: sdk.Billing = { retrieve: () => sdk.apiPromise(bill) } }' },
  {
    title: 'fake Experimental',
    code: "{ const f: sdk.Experimental['antispoof'] = { check: () => sdk.apiPromise({}), identity: () => sdk.apiPromise({}) } }",
  },
  {
    title: 'fake Workflows',
    code: "{ const f: sdk.Experimental['workflows'] = { create: () => sdk.apiPromise(wf), list: () => sdk.apiPromise([wf]), retrieve: () => sdk.apiPromise(wf), update: () => sdk.apiPromise(wf), delete: () => sdk.apiPromise(undefined) } }",
  },
  {
    title: 'fake Legacy',
    code: "{ const f: Pick<sdk.Legacy, 'userinfo'> = { userinfo: () => sdk.apiPromise(null!) } }",
  },
  {
    title: 'fake TokenManager',
    code: "{ const f: sdk.TokenManager = { save: async () => {}, getAccessToken: async () => 't', delete: async () => true } }",
  },
  {
    title: 'fake VerificationClient whole',
    code: '{ const f: sdk.VerificationClient = { sessions: client.sessions, checks: client.checks, credentials: client.credentials, experimental: client.experimental, request: <T,>() => sdk.apiPromise({} as T) as sdk.ApiPromise<T>, withOptions: () => f, close: async () => {}, [Symbol.asyncDispose]: async () => {} } }',
  },
  {
    title: 'fake OrgClient pick',
    code: "{ const f: Pick<sdk.OrgClient, 'billing'> = { billing: { retrieve: () => sdk.apiPromise(bill) } } }",
  },
  {
    title: 'fake manager',
    code: "{ const f: sdk.VerificationManager = { start: async () => v, get: async () => v, refresh: async () => v, handle: async () => null, ensureApproved: async () => { throw new sdk.NotVerifiedError({ reason: 'none' }) }, review: async () => v, forget: async () => true, reconcile: () => null! as sdk.Bulk<sdk.ReconcileItem, sdk.ReconcileSummary> } }",
  },
  {
    title: 'fake manager verification none',
    code: "{ const none: sdk.Verification = { subject: 'u', state: 'none', sessionId: null, url: null, expiresAt: null, decidedAt: null, checks: [], attempts: 0, history: [], updatedAt: null } }",
  },
  {
    title: 'consumers manager',
    code: "sdk.createWebhookHandler({ secret: 's', consumers: [sdk.createVerificationManager({ client, store: basic, session: {} })] });",
  },
  {
    title: 'consumers manager subject',
    code: "sdk.createWebhookHandler({ secret: 's', consumers: [sdk.createVerificationManager<UserId2>({ client, store: scannable, session: {} })] });",
  },
  {
    title: 'consumer handle reads vendor',
    code: "{ const m = sdk.createVerificationManager({ client, store: basic, session: (u: UserId2) => ({ metadata: { u } }) }); m.start(uid); for await (const i of m.reconcile({ subjects: [uid] })) { if (i.outcome === 'changed') { const s: UserId2 = i.change.subject } } }",
  },
  {
    title: 'explicit subject + basic store',
    code: '{ const m = sdk.createVerificationManager<UserId2>({ client, store: basic, session: {} }); m.start(uid) }',
    reason:
      'The compiler infers all type arguments or none: pass `<UserId, Store>`, or annotate a parameter of `session`.',
  },
  {
    title: 'explicit both',
    code: '{ const m = sdk.createVerificationManager<UserId2, sdk.Store>({ client, store: basic, session: {} }); m.start(uid) }',
  },
  {
    title: 'annotated subject',
    code: '{ const m: sdk.BasicVerificationManager<UserId2> = sdk.createVerificationManager({ client, store: basic, session: {} }) }',
  },
  {
    title: 'manager -> basic',
    code: '{ const m: sdk.BasicVerificationManager = sdk.createVerificationManager({ client, store: scannable, session: {} }) }',
  },
  {
    title: 'manager opts each',
    code: "{ const m = sdk.createVerificationManager({ client, store: scannable, session: {} }); const o = { timeoutMs: 5 }; m.start('u', {}, o); m.refresh('u', o); m.handle(event, o); m.review('u', { sessionId: 's', status: 'APPROVED', by: 'a', reason: 'b' }, o); m.reconcile(o) }",
  },
  {
    title: 'waitForDecision all options',
    code: "client.sessions.waitForDecision('s', { timeoutMs: 5, deadlineMs: 5, maxRetries: 1, headers: {}, signal: new AbortController().signal, pollIntervalMs: 1, onStatus() {} });",
  },
  {
    title: 'until var',
    code: "{ const until: 'IN_REVIEW' | undefined = Math.random() > 0.5 ? 'IN_REVIEW' : undefined; client.sessions.waitForDecision('s', { until }) }",
  },
  {
    title: 'WaitOptions var',
    code: "{ const o: sdk.WaitOptions = { pollIntervalMs: 5 }; client.sessions.waitForDecision('s', o) }",
  },
  {
    title: 'withOptions',
    code: '{ const c: sdk.VerificationClient = client.withOptions({ timeoutMs: 5, logger }); const o: sdk.OidcClient = oidc.withOptions({ maxRetries: 0 }); const g: sdk.OrgClient = org.withOptions({ headers: { a: env } }) }',
  },
  { title: 'await using', code: '{ await using c = new sdk.VerificationClient(); }' },
  {
    title: 'validateIdToken interface',
    code: "{ interface C { readonly tenant: number } const c = await oidc.validateIdToken<C>('t'); c.tenant.toFixed(); c.sub; const d = await sdk.validateIdToken<C>('t', { jwks: { keys: [] }, issuer: 'i', audience: 'a' }); d.tenant.toFixed() }",
  },
  {
    title: 'credentialParams spread',
    code: "{ const p: sdk.CredentialParams = { license_state: 'CA', license_number: '1', license_type: env ?? 'RN' }; client.checks.credential(p); client.checks.credential({ ...p, full_name: 'a' }) }",
    reason: 'The params may contain an access token, next to which the service ignores a name.',
  },
  {
    title: 'credential cond',
    code: "client.checks.credential({ license_state: 'CA', license_number: '1', license_type: 'RN', full_name: env });",
    reason:
      'Without a name the call is a search, which verifies nothing: decide with `...(name === undefined ? {} : { full_name: name })`.',
  },
  {
    title: 'credential cond names',
    code: "client.checks.credential({ license_state: 'CA', license_number: '1', ...(env ? { provider_code: env } : { license_type: 'RN' }) });",
  },
  {
    title: 'ClientOptions spread',
    code: "{ const o: sdk.ClientOptions = {}; new sdk.VerificationClient({ ...o, apiKey: 'k' }); new sdk.OrgClient({ ...o }) }",
  },
  {
    title: 'ClientOptions fetch maybe',
    code: 'new sdk.VerificationClient({ fetch: env ? fetchish : undefined });',
  },
  {
    title: 'ClientOptions both maybe',
    code: 'new sdk.VerificationClient({ ...(env ? { fetch: fetchish } : { dispatcher }) });',
  },
  { title: 'interface extends options', code: '{ interface My extends sdk.RequestOptions { a: 1 } }' },
  {
    title: 'handler options var',
    code: "{ const o: sdk.WebhookHandlerOptions = { secret: 's', on: {} }; sdk.createWebhookHandler(o) }",
  },
  {
    title: 'handler options Tx',
    code: "sdk.createWebhookHandler({ secret: 's', inbox, onUnhandled: (_, { tx }) => tx.q() });",
  },
  {
    title: 'handler store maybe',
    code: "sdk.createWebhookHandler({ secret: 's', store: env ? basic : undefined, on: {} });",
  },
  { title: 'compare with string var', code: 'session.status === str;' },
  {
    title: 'status in list',
    code: "{ const open: sdk.SessionStatus[] = ['NOT_STARTED', 'IN_PROGRESS']; open.includes(session.status) }",
  },
  { title: 'status in literal list', code: "['NOT_STARTED', 'IN_PROGRESS'].includes(session.status);" },
  { title: 'status in as const', code: 'sdk.sessionStatuses.some((s) => s === session.status);' },
  { title: 'Set', code: "new Set<string>(['APPROVED']).has(session.status);" },
  { title: 'status as string', code: '{ const s: string = session.status; session.status.toLowerCase() }' },
  {
    title: 'Record by status',
    code: "{ const t: Partial<Record<sdk.SessionStatus, string>> = { APPROVED: 'x' }; t[session.status] }",
  },
  {
    title: 'full Record by known',
    code: "{ const t: Record<(typeof sdk.sessionStatuses)[number], string> = { NOT_STARTED: '', IN_PROGRESS: '', IN_REVIEW: '', APPROVED: '', DECLINED: '', ABANDONED: '', EXPIRED: '' } }",
  },
  {
    title: 'switch default string',
    code: "{ switch (session.status) { case 'APPROVED': break; default: { const rest: string = session.status } } }",
  },
  { title: 'id string methods', code: "session.session_id.startsWith('sess_');" },
  {
    title: 'id to own string param',
    code: '{ const f = (s: string) => s; f(session.session_id); const m = new Map<string, sdk.Session>(); m.get(session.session_id) }',
  },
  {
    title: 'bulk',
    code: '{ const s = await org.members.addAll([]); s.created; for await (const i of org.members.addAll([])) i.outcome; Promise.all([org.members.addAll([])]) }',
  },
  {
    title: 'ListPromise types',
    code: '{ const l: sdk.ListPromise<sdk.Session[]> = client.sessions.list(); for await (const s of l) s.session_id; const arr: sdk.Session[] = await l; const p: Promise<sdk.Session[]> = l }',
  },
  {
    title: 'list params undefined',
    code: "{ client.sessions.list(undefined, {}); org.members.list(undefined, { timeoutMs: 5 }); client.credentials.listProviders('CA', undefined, {}) }",
  },
  {
    title: 'array-ish map list',
    code: "(await Promise.all(['a'].map((s) => client.credentials.listProviders(s)))).flat();",
  },
  {
    title: 'errors in tests',
    code: "[new sdk.NotFoundError({ code: 'not_found', message: '' }), new sdk.RateLimitError({ code: 'rate_limited', message: '', retryAfterMs: 5 }), new sdk.ApiError({ code: 'http_418', message: '', status: 418 })];",
  },
  { title: 'error code var', code: "new sdk.ConflictError({ code: apiError.code, message: '' });" },
  { title: 'assertPassed decision', code: 'sdk.assertPassed(decision);' },
  { title: 'emulator fetch', code: 'new sdk.VerificationClient(createEmulator().options.verification);' },
  {
    title: 'memoryStore as everything',
    code: '{ const s = sdk.memoryStore(); const a: sdk.Store = s; const b: sdk.ScannableStore = s }',
  },
  { title: 'deactivate member', code: 'org.members.deactivate(member);' },
  {
    title: 'onEvent destructure',
    code: 'new sdk.VerificationClient({ onEvent: ({ type, status, error, durationMs }) => console.log(type, status, error, durationMs) });',
  },
  { title: 'logger console', code: 'new sdk.VerificationClient({ logger: console });' },
  {
    title: 'session fixture partial status',
    code: "{ const s: sdk.Session = { ...session, status: 'APPROVED' } }",
  },
  {
    title: 'webhook fixture',
    code: "{ const e: sdk.WebhookEvent = { event_id: 'e', type: 'verification.approved', session_id: 's' } }",
  },
  {
    title: 'webhook fixture type var',
    code: "{ const e = { event_id: 'e', type: 'verification.approved', session_id: 's' } as const; const w: sdk.WebhookEvent = e; sdk.signWebhook({ event: e, secret: 's' }) }",
  },
  {
    title: 'generic over event types',
    code: "{ const f = <T extends sdk.WebhookEventType>(t: T, h: (e: sdk.WebhookEventFor<T>) => void) => {}; f('verification.approved', (e) => e.session_id) }",
  },
  {
    title: 'webhookEventTypes loop',
    code: 'for (const t of sdk.webhookEventTypes) { const s: sdk.WebhookEventType = t }',
  },
  {
    title: 'on from list',
    code: "sdk.createWebhookHandler({ secret: 's', on: Object.fromEntries(sdk.webhookEventTypes.map((t) => [t, () => {}])) });",
  },
  {
    title: 'ErrorCode table',
    code: "{ const t: Partial<Record<sdk.ErrorCode, string>> = { not_found: 'x' }; t[apiError.code] }",
  },
]
