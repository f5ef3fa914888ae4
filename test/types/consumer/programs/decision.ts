// Reads a decision check by check, and continues only if a standalone check passed.
import {
  assertPassed,
  type Check,
  CheckNotPassedError,
  type Decision,
  findCheck,
  type ImageInput,
  type VerificationClient,
} from 'identity-service-sdk'

export interface Profile {
  name: string | undefined
  isLive: boolean
  similarity: number
  isAdult: boolean
}

export function profileOf(decision: Decision): Profile {
  const id = findCheck(decision, 'id_verification')
  const liveness = findCheck(decision, 'liveness')
  const face = findCheck(decision, 'face_match')
  const age = findCheck(decision, 'age')
  return {
    name: id?.data.fields?.full_name ?? undefined,
    isLive: liveness?.status === 'passed' && liveness.data.live_score === 1,
    similarity: face?.data.similarity ?? 0,
    isAdult: (age?.data.age ?? 0) >= 18,
  }
}

export const problems = ({ checks }: Decision): string[] =>
  checks.filter(({ status }) => status !== 'passed').map(describe)

function describe({ type, status, error }: Check): string {
  const reason = typeof error === 'string' ? error : error?.message
  return `${type} ${status}${reason ? `: ${reason}` : ''}`
}

export async function requireLivePerson(client: VerificationClient, image: ImageInput): Promise<number> {
  const result = await client.checks.liveness({ image })
  try {
    assertPassed(result)
    const status: 'passed' = result.status
    console.log(status, result.session_id)
    return result.check.data.live_score ?? 0
  } catch (error) {
    if (error instanceof CheckNotPassedError) console.warn(error.failed.map(({ type }) => type).join())
    throw error
  }
}
