// Starts hosted verifications, waits for an outcome, and decides what waits for review.
import {
  type Outcome,
  parseReturnUrl,
  type Session,
  SessionEndedError,
  VerificationClient,
  WaitTimeoutError,
} from 'identity-service-sdk'

interface Customer {
  id: string
  email: string
  plan?: 'free' | 'team'
}

const client = new VerificationClient({ apiKey: process.env.SVC_API_KEY, deadlineMs: 60_000 })

export async function startVerification(customer: Customer): Promise<Session> {
  return client.sessions.create({
    workflow_id: process.env.WORKFLOW_ID,
    redirect_url: 'https://app.example.com/verified',
    vendor_data: customer.id,
    metadata: customer,
  })
}

export async function outcomeOf(returnUrl: string, signal?: AbortSignal): Promise<Outcome | 'pending' | 'start again'> {
  const { sessionId } = parseReturnUrl(returnUrl)
  if (sessionId === null) return 'start again'
  try {
    const options = { deadlineMs: 120_000, signal, onStatus: (status: string) => console.log(status) }
    const { decision, vendor_data } = await client.sessions.waitForDecision(sessionId, options)
    console.log(`${vendor_data}: ${decision.toLowerCase()}`)
    return decision
  } catch (error) {
    if (error instanceof WaitTimeoutError) return 'pending'
    if (error instanceof SessionEndedError) return 'start again'
    throw error
  }
}

export async function approveWhatPassed(): Promise<void> {
  const waiting = await client.sessions.list({ status: 'IN_REVIEW', limit: 20 })
  for (const { session_id } of waiting.sort((a, b) => a.expires_at.localeCompare(b.expires_at))) {
    const { checks } = await client.sessions.decision(session_id)
    if (checks.every(({ status }) => status === 'passed'))
      await client.sessions.updateStatus(session_id, { status: 'APPROVED' })
  }
}
