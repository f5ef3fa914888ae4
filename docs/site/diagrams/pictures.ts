import { states } from '../../../src/verification/manager/states.ts'
import { graph } from './graph.ts'
import { sequence } from './sequence.ts'

const box = (x: number, y: number, text: string, width = 150, kind?: 'own' | 'end') => ({
  x,
  y,
  width,
  height: 44,
  text,
  ...(kind === undefined ? {} : { kind }),
})

/** What leads back to `starting`. Does not compile for a state in which `start` creates no session. */
const startText = { create: 'start', renew: 'start with renew' } as const

/** The pictures of the documentation, by the name of their file. */
export const pictures: Readonly<Record<string, string>> = {
  'hosted-verification': sequence(
    'A hosted verification: who sends what to whom',
    ["person's browser", 'your backend', 'identity service'],
    [
      { from: 0, to: 1, text: 'wants to verify' },
      { from: 1, to: 2, text: 'sessions.create' },
      { from: 2, to: 1, text: 'session with its url', isReply: true },
      { from: 1, to: 0, text: 'redirect to the url', isReply: true },
      { from: 0, to: 2, text: 'does the checks on the hosted page' },
      { from: 2, to: 1, text: 'signed webhook: verification.approved' },
      { from: 1, to: 2, text: 'sessions.decision' },
      { from: 2, to: 1, text: 'decision and checks', isReply: true },
      { from: 2, to: 0, text: 'redirect to redirect_url, with a status that is only a hint', isReply: true },
      { from: 0, to: 1, text: 'opens the return page' },
      { at: 1, note: 'The webhook can come before the return or after it, twice, or not at all.' },
      { from: 1, to: 0, text: 'the outcome, as the decision says', isReply: true },
    ],
  ),

  'sign-in': sequence(
    'A sign-in: who sends what to whom',
    ["person's browser", 'your backend', 'identity service'],
    [
      { from: 0, to: 1, text: 'GET /login' },
      { at: 1, note: 'creates state, nonce and a PKCE verifier' },
      { from: 1, to: 0, text: 'redirect, with an encrypted cookie that holds the three', isReply: true },
      { from: 0, to: 2, text: 'authorization URL: the person signs in and consents' },
      { from: 2, to: 0, text: 'redirect to /callback, with code and state', isReply: true },
      { from: 0, to: 1, text: 'GET /callback, with the cookie' },
      { at: 1, note: 'compares the state, and accepts each sign-in once' },
      { from: 1, to: 2, text: 'code, verifier and client secret' },
      { from: 2, to: 1, text: 'id_token, access token, refresh token', isReply: true },
      { at: 1, note: 'validates the id_token: signature, issuer, audience, expiry, nonce' },
      { from: 1, to: 0, text: "your app's own session", isReply: true },
    ],
  ),

  'session-states': graph(
    'The statuses of a session',
    { width: 720, height: 420 },
    {
      NOT_STARTED: box(36, 50, 'NOT_STARTED'),
      IN_PROGRESS: box(285, 50, 'IN_PROGRESS'),
      IN_REVIEW: box(534, 50, 'IN_REVIEW'),
      APPROVED: box(285, 210, 'APPROVED', 150, 'end'),
      DECLINED: box(534, 210, 'DECLINED', 150, 'end'),
      ABANDONED: box(285, 320, 'ABANDONED', 150, 'end'),
      EXPIRED: box(534, 320, 'EXPIRED', 150, 'end'),
      any: box(36, 320, 'any status', 110),
    },
    [
      {
        from: ['NOT_STARTED', 'right'],
        to: ['IN_PROGRESS', 'left'],
        text: 'the person begins',
        at: [235, 32],
      },
      {
        from: ['IN_PROGRESS', 'right'],
        to: ['IN_REVIEW', 'left'],
        text: 'checks need a person',
        at: [484, 32],
      },
      { from: ['IN_PROGRESS', 'bottom', -20], to: ['APPROVED', 'top', -20] },
      { from: ['IN_PROGRESS', 'bottom', 20], to: ['DECLINED', 'top', -20] },
      { from: ['IN_REVIEW', 'bottom', -20], to: ['APPROVED', 'top', 20] },
      {
        from: ['IN_REVIEW', 'bottom', 20],
        to: ['DECLINED', 'top', 20],
        text: 'automated outcome',
        at: [484, 152],
      },
      {
        from: ['NOT_STARTED', 'bottom'],
        to: ['APPROVED', 'left'],
        via: [[111, 232]],
        text: 'updateStatus, also from IN_PROGRESS and IN_REVIEW',
        at: [200, 165],
        within: 150,
        isDashed: true,
      },
      { from: ['any', 'right'], to: ['ABANDONED', 'left'], text: 'abandoned', at: [215, 342] },
      {
        from: ['any', 'bottom'],
        to: ['EXPIRED', 'bottom'],
        via: [
          [91, 392],
          [609, 392],
        ],
        text: 'expired',
        at: [215, 392],
      },
    ],
  ),

  'verification-states': graph(
    'The states of a verification',
    { width: 720, height: 440 },
    {
      none: box(30, 50, 'none', 120),
      starting: box(300, 50, 'starting', 120),
      open: box(300, 180, 'open', 120, 'own'),
      in_review: box(30, 180, 'in_review', 120, 'own'),
      approved: box(30, 330, 'approved', 120, 'end'),
      declined: box(300, 330, 'declined', 120, 'end'),
      ended: box(550, 330, 'ended', 120, 'end'),
    },
    [
      {
        from: ['none', 'right'],
        to: ['starting', 'left'],
        text: startText[states.none.start],
        at: [225, 72],
      },
      { from: ['starting', 'bottom'], to: ['open', 'top'], text: 'the session is created', at: [360, 134] },
      { from: ['open', 'left'], to: ['in_review', 'right'], text: 'needs a person', at: [225, 202] },
      { from: ['open', 'bottom', -20], to: ['approved', 'top', 30] },
      { from: ['open', 'bottom', 20], to: ['declined', 'top', 20] },
      {
        from: ['open', 'bottom', 40],
        to: ['ended', 'top'],
        text: 'abandoned or expired',
        at: [530, 262],
        within: 110,
      },
      { from: ['in_review', 'bottom', -20], to: ['approved', 'top', -20] },
      {
        from: ['in_review', 'bottom', 20],
        to: ['declined', 'top', -20],
        text: 'outcome or review',
        at: [225, 272],
      },
      {
        from: ['ended', 'right'],
        to: ['starting', 'right'],
        via: [
          [694, 352],
          [694, 72],
        ],
        text: startText[states.ended.start],
        at: [560, 72],
      },
      {
        from: ['declined', 'bottom'],
        to: ['starting', 'right'],
        via: [
          [360, 410],
          [694, 410],
          [694, 72],
        ],
        text: startText[states.declined.start],
        at: [530, 410],
      },
      {
        from: ['approved', 'bottom'],
        to: ['starting', 'right'],
        via: [
          [90, 410],
          [694, 410],
          [694, 72],
        ],
        text: startText[states.approved.start],
        at: [225, 410],
      },
    ],
  ),

  retries: graph(
    'A call with retries and an unknown outcome',
    { width: 720, height: 560 },
    {
      call: box(40, 30, 'call', 150, 'own'),
      attempt: box(285, 30, 'attempt: same key, same bytes', 150),
      success: box(540, 30, 'result', 150, 'end'),
      sent: box(285, 150, 'may it have been executed?', 150),
      safe: box(40, 260, 'safe to send again?', 150),
      left: box(285, 370, 'retries, budget and deadline left?', 150),
      wait: box(540, 260, 'wait: backoff or Retry-After', 150),
      error: box(40, 480, 'error of the last attempt', 170, 'end'),
      unknown: box(490, 480, 'OutcomeUnknownError', 200, 'end'),
    },
    [
      { from: ['call', 'right'], to: ['attempt', 'left'] },
      { from: ['attempt', 'right'], to: ['success', 'left'], text: 'success', at: [487, 38] },
      { from: ['attempt', 'bottom'], to: ['sent', 'top'], text: 'failure', at: [360, 112] },
      { from: ['sent', 'left'], to: ['safe', 'top'], via: [[115, 172]], text: 'yes', at: [115, 215] },
      { from: ['sent', 'bottom'], to: ['left', 'top'], text: 'no', at: [360, 225] },
      {
        from: ['safe', 'right'],
        to: ['left', 'left', -10],
        via: [
          [240, 282],
          [240, 382],
        ],
        text: 'a read, or billed',
        at: [240, 325],
        within: 90,
      },
      { from: ['safe', 'bottom'], to: ['error', 'top', -10], text: 'no', at: [115, 390] },
      { from: ['left', 'right'], to: ['wait', 'bottom'], via: [[615, 392]], text: 'yes', at: [520, 392] },
      {
        from: ['wait', 'top'],
        to: ['attempt', 'right', 12],
        via: [
          [615, 140],
          [480, 140],
          [480, 64],
        ],
      },
      {
        from: ['left', 'bottom', -30],
        to: ['error', 'right'],
        via: [[330, 502]],
        text: 'no',
        at: [270, 502],
      },
      {
        from: ['left', 'bottom', 40],
        to: ['unknown', 'left'],
        via: [[400, 502]],
        text: 'no, billed, and maybe executed',
        at: [400, 456],
        within: 120,
      },
    ],
  ),
}
