// Verifies each user once, gates a route, and finds lost webhooks in a job.
import {
  createVerificationManager,
  createWebhookHandler,
  type Decision,
  NotVerifiedError,
  type ScannableStore,
  type Verification,
  type VerificationClient,
  VerificationLimitError,
  type VerificationManager,
  type VerificationOf,
} from 'identity-service-sdk'

export function managerFor(client: VerificationClient, store: ScannableStore): VerificationManager {
  return createVerificationManager({
    client,
    store,
    session: (subject) => ({ workflow_id: 'wf_1', redirect_url: `https://app.example.com/${subject}` }),
    limit: { sessions: 3, perMs: 86_400_000 },
    onChange: async ({ subject, from, to, verification }) => {
      console.log(subject, from, to, verification.checks.length)
    },
  })
}

export const handlerFor = (verifications: VerificationManager) =>
  createWebhookHandler({
    consumers: [verifications],
    on: { 'verification.approved': async (event) => console.log(event.session_id) },
  })

export async function begin(verifications: VerificationManager, user: string): Promise<string> {
  try {
    const verification = await verifications.start(user, {}, { renew: { olderThanMs: 31_536_000_000 } })
    return pageFor(verification)
  } catch (error) {
    if (error instanceof VerificationLimitError) return `/later?ms=${error.retryAfterMs}`
    throw error
  }
}

function pageFor(verification: Verification): string {
  switch (verification.state) {
    case 'open':
      return verification.url
    case 'approved':
      return '/welcome'
    case 'in_review':
      return '/wait'
    case 'none':
    case 'starting':
    case 'declined':
    case 'ended':
      return '/start'
    default: {
      const missing: never = verification
      return missing
    }
  }
}

export async function gate(verifications: VerificationManager, user: string): Promise<string | null> {
  try {
    const approved: VerificationOf<'approved'> = await verifications.ensureApproved(user, {
      maxAgeMs: 31_536_000_000,
      checks: ['liveness', 'face_match'],
    })
    return approved.decidedAt
  } catch (error) {
    if (error instanceof NotVerifiedError) return error.reason
    throw error
  }
}

export async function job(verifications: VerificationManager, signal: AbortSignal): Promise<number> {
  const sweep = verifications.reconcile({ olderThanMs: 600_000, concurrency: 8, signal })
  for await (const item of sweep) {
    if (item.outcome === 'changed') console.log(item.change.subject, item.change.to)
    else console.error(item.subject, item.error)
  }
  const { failed } = await sweep
  return failed
}

export const evidence = ({ checks }: Decision) => checks.map(({ type, status }) => ({ type, status }))
