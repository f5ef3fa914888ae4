import type { Operations } from '../../src/contract/operations.ts'
import {
  addedMember,
  billing,
  client,
  combinedResult,
  credentialProvider,
  credentialState,
  decision,
  image,
  invitedMember,
  license,
  member,
  session,
  standaloneResult,
  tokens,
  workflow,
} from './examples.ts'

/** What the document says about an operation in addition to its declaration. */
export interface OperationText {
  /** A phrase in the imperative. */
  readonly summary: string
  /** Facts of the contract that a caller needs, as sentences. */
  readonly notes?: string
  /** What describes the fields of the body or of the query. */
  readonly params?: readonly [string, ...string[]]
  /** What describes the payload. Without it, the contract does not give the shape. */
  readonly result?: string
  readonly example: {
    readonly ids?: Readonly<Record<string, string>>
    readonly query?: Readonly<Record<string, unknown>>
    readonly body?: Readonly<Record<string, unknown>>
    /** The payload, without the envelope. Missing if the contract does not give its shape. */
    readonly data?: unknown
  }
}

const sessionId = { id: 'sess_123' }
const workflowId = { id: 'wf_123' }
const memberId = { member_id: 'vmem_0123456789abcdef01234567' }
const deactivated = { ...member, status: 'deactivated', active: false }
const tokenUser = { id: 'user_1', email: 'ada@example.com', name: 'Ada Lovelace', svc_id: 'svc_ada' }
const { id_token: _, scope: __, ...legacyTokens } = tokens
const anyImages = 'The contract does not give the fields of the request and of the response.'
const burst = `${anyImages} A live burst has 3 to 8 frames.`

export const operationTexts: { readonly [Operation in keyof Operations]: OperationText } = {
  'sessions.create': {
    summary: 'Create a session',
    notes: 'Send the person to the `url` of the session.',
    params: ['SessionCreateParams'],
    result: 'Session',
    example: {
      body: {
        workflow_id: 'wf_123',
        redirect_url: 'https://app.example.com/return',
        callback: 'https://app.example.com/webhooks',
        vendor_data: 'user-42',
      },
      data: session,
    },
  },
  'sessions.list': {
    summary: 'List sessions',
    notes: 'The contract does not give the form of the pagination.',
    params: ['SessionListParams'],
    result: 'Session',
    example: { query: { status: 'IN_REVIEW', limit: 20 }, data: [{ ...session, status: 'IN_REVIEW' }] },
  },
  'sessions.retrieve': {
    summary: 'Retrieve a session',
    notes: 'Poll it while the person works. The outcome is in the decision.',
    result: 'Session',
    example: { ids: sessionId, data: { ...session, status: 'IN_PROGRESS' } },
  },
  'sessions.decision': {
    summary: 'Retrieve the decision of a session',
    notes: 'It has the authoritative result.',
    result: 'Decision',
    example: { ids: sessionId, data: decision },
  },
  'sessions.updateStatus': {
    summary: 'Decide a session',
    notes: 'It cannot be undone. An approval requires a passed ID verification, liveness check and face match.',
    params: ['SessionStatusUpdate'],
    result: 'Session',
    example: { ids: sessionId, body: { status: 'DECLINED' }, data: { ...session, status: 'DECLINED' } },
  },
  'checks.idVerification': {
    summary: 'Verify an ID document',
    notes: 'Reads the document and checks its authenticity.',
    params: ['IdVerificationParams'],
    result: 'StandaloneResult',
    example: { body: { front_image: image, back_image: image }, data: standaloneResult('id_verification') },
  },
  'checks.liveness': {
    summary: 'Check that a selfie shows a live person',
    notes: 'It passes only if `live_score` equals 1.',
    params: ['LivenessParams'],
    result: 'StandaloneResult',
    example: { body: { image }, data: standaloneResult('liveness') },
  },
  'checks.faceMatch': {
    summary: 'Compare two faces',
    notes: 'It passes if the similarity is at least the threshold. It does not prove liveness.',
    params: ['FaceMatchParams'],
    result: 'StandaloneResult',
    example: { body: { image1: image, image2: image }, data: standaloneResult('face_match') },
  },
  'checks.age': {
    summary: 'Check the age of a person',
    notes: 'It passes only if every requested band is verified.',
    params: ['AgeParams'],
    result: 'StandaloneResult',
    example: { body: { dob: '1990-12-10', bands: ['18+'] }, data: standaloneResult('age') },
  },
  'checks.credential': {
    summary: 'Check a license',
    notes:
      'Without a name it searches, with a name it verifies the holder. Read the jurisdictions and providers first. A lookup takes 10 to 60 seconds.',
    params: ['LicenseFields', 'LicenseOfType', 'HolderByFullName', 'HolderByNames', 'HolderByAccount', 'LicenseLookup'],
    result: 'StandaloneResult',
    example: { body: { ...license, full_name: 'Ada Lovelace' }, data: standaloneResult('credential') },
  },
  'checks.kycCredential': {
    summary: 'Verify an identity and a license',
    notes:
      'ID verification, liveness, face match and license lookup. The license is matched with the name on the ID. A lookup takes 10 to 60 seconds.',
    params: ['KycImages', 'LicenseFields', 'LicenseOfType'],
    result: 'CombinedResult',
    example: { body: { front_image: image, selfie: image, ...license }, data: combinedResult },
  },
  'checks.location': {
    summary: 'Check a location',
    notes: 'Without coordinates it fails. Without an expected point it only captures.',
    params: ['LocationParams'],
    result: 'StandaloneResult',
    example: {
      body: {
        latitude: 52.52,
        longitude: 13.405,
        accuracy: 12.5,
        expected_latitude: 52.5,
        expected_longitude: 13.4,
        radius_m: 5000,
      },
      data: standaloneResult('location'),
    },
  },
  'credentials.listStates': {
    summary: 'List the jurisdictions with a license provider',
    result: 'CredentialState',
    example: { data: [credentialState] },
  },
  'credentials.listProviders': {
    summary: 'List the license providers of a jurisdiction',
    notes: 'Send `provider_code` unchanged, and `credential_name` as `license_type`.',
    result: 'CredentialProvider',
    example: { ids: { state: 'CA' }, data: [credentialProvider] },
  },
  'experimental.workflows.create': {
    summary: 'Create a workflow',
    example: { body: { name: 'Adults', features: ['id_verification', 'age'] }, data: workflow },
    result: 'Workflow',
  },
  'experimental.workflows.list': {
    summary: 'List workflows',
    result: 'Workflow',
    example: { data: [workflow] },
  },
  'experimental.workflows.retrieve': {
    summary: 'Retrieve a workflow',
    result: 'Workflow',
    example: { ids: workflowId, data: workflow },
  },
  'experimental.workflows.update': {
    summary: 'Update a workflow',
    result: 'Workflow',
    example: { ids: workflowId, body: { name: 'Adults only' }, data: { ...workflow, name: 'Adults only' } },
  },
  'experimental.workflows.delete': {
    summary: 'Delete a workflow',
    example: { ids: workflowId },
  },
  'experimental.antispoof.check': {
    summary: 'Check an image or a live burst for spoofing',
    notes: `It returns \`human_score\`. ${burst}`,
    example: { data: { human_score: 0.99 } },
  },
  'experimental.antispoof.identity': {
    summary: 'Check liveness and identify the face',
    notes: `It returns a stable uuid, with which duplicates are detected. ${burst}`,
    example: {},
  },
  'experimental.faceUniqueness.check': {
    summary: 'Check that a face is unique',
    notes: anyImages,
    example: {},
  },
  'experimental.faceUniqueness.delete': {
    summary: 'Remove an enrolled face',
    example: { ids: { svc_uuid: '0b7c2a' } },
  },
  'oidc.authorize': {
    summary: 'Ask a person to sign in',
    notes:
      'The browser of the person opens this address. The consent screen then redirects it to `redirect_uri` with `code` and `state`, or with `error`.',
    params: ['AuthorizeQuery'],
    example: {
      query: {
        client_id: 'client-id',
        redirect_uri: 'https://app.example.com/callback',
        response_type: 'code',
        scope: 'openid',
        state: 'c3RhdGU',
      },
    },
  },
  'oidc.exchangeCode': {
    summary: 'Exchange a code for tokens',
    params: ['CodeGrant'],
    result: 'TokenResponse',
    example: {
      body: {
        grant_type: 'authorization_code',
        ...client,
        code: 'code',
        redirect_uri: 'https://app.example.com/callback',
      },
      data: tokens,
    },
  },
  'oidc.refresh': {
    summary: 'Refresh tokens',
    notes:
      'Each refresh revokes the refresh token that was sent. If it is sent again, all refresh tokens of the user and the client are revoked.',
    params: ['RefreshGrant'],
    result: 'TokenResponse',
    example: {
      body: { grant_type: 'refresh_token', refresh_token: 'refresh-token', ...client },
      data: tokens,
    },
  },
  'oidc.jwks': {
    summary: 'Retrieve the public keys',
    notes: 'Validate the RS256 signatures of id_tokens with them.',
    result: 'KeySet',
    example: { data: { keys: [] } },
  },
  'oidc.legacy.exchangeCode': {
    summary: 'Exchange a code of the legacy sign-on',
    params: ['LegacyCodeGrant'],
    result: 'LegacyTokenSet',
    example: {
      body: { grant_type: 'authorization_code', ...client, code: 'code' },
      data: { ...legacyTokens, user: tokenUser },
    },
  },
  'oidc.legacy.userinfo': {
    summary: 'Retrieve the user info of an account',
    result: 'LegacyUserInfo',
    example: { data: { sub: 'user_1', full_name: 'Ada Lovelace', id_verified: true } },
  },
  'oidc.legacy.licenses': {
    summary: 'List the licenses of an account',
    result: 'LegacyLicense',
    example: { data: [{ type: 'Registered Nurse', number: 'RN-12.345/B', status: 'active' }] },
  },
  'oidc.legacy.verifications': {
    summary: 'Retrieve the verifications of an account',
    result: 'LegacyVerifications',
    example: { data: { human_verified: true, id_verified: true, licenses: [] } },
  },
  'oidc.legacy.refresh': {
    summary: 'Refresh tokens of the legacy sign-on',
    notes: 'The client credentials are in the body or in HTTP Basic.',
    params: ['LegacyRefresh'],
    result: 'LegacyTokens',
    example: { body: { refresh_token: 'refresh-token', ...client }, data: legacyTokens },
  },
  'members.list': {
    summary: 'List the members',
    notes: 'Lists the role `member` only.',
    result: 'MemberList',
    example: { data: { members: [member], organization: { id: 3, name: 'Analytical Engines' } } },
  },
  'members.resolve': {
    summary: 'Look up a member',
    params: ['ResolveParams'],
    result: 'ResolvedMember',
    example: { body: { email: 'ada@example.com' }, data: { found: true, member } },
  },
  'members.add': {
    summary: 'Add members',
    notes: 'One call adds 1 to 500 members.',
    params: ['AddParams'],
    result: 'AddResult',
    example: {
      body: { members: [{ email: 'ada@example.com' }], notify: false, invite: 'face' },
      data: { created: [addedMember], skipped: [], notified: false },
    },
  },
  'members.deactivate': {
    summary: 'Deactivate a member',
    notes: 'Billing stops and the logins of the app are revoked. The row is kept.',
    result: 'Member',
    example: { ids: memberId, data: deactivated },
  },
  'members.remove': {
    summary: 'Remove a member',
    notes: 'Without `permanent`, the member is deactivated. Removing a member who is gone is a success.',
    params: ['RemoveParams'],
    result: 'RemoveResult',
    example: { ids: memberId, query: { permanent: true }, data: { member: null, removed: true } },
  },
  'members.reactivate': {
    summary: 'Reactivate a member',
    notes: 'The member becomes `active`, or `invited` if the identity is gone.',
    result: 'Member',
    example: { ids: memberId, data: member },
  },
  'members.invite': {
    summary: 'Resend the invite of a member',
    notes: 'The new link replaces the old one. The limit is 10 requests a minute.',
    result: 'InviteResult',
    example: {
      ids: memberId,
      data: { member: invitedMember, activation_link: addedMember.activation_link },
    },
  },
  'billing.retrieve': {
    summary: 'Retrieve the billing summary',
    result: 'BillingSummary',
    example: { data: billing },
  },
}
