import type { Service, Session } from './over-http.ts'

interface Decision {
  readonly status: string
  readonly decision: string | null
  readonly decided_at: string | null
  readonly checks: readonly { readonly type: string; readonly status: string; readonly data: object }[]
}

type Status = 'NOT_STARTED' | 'IN_PROGRESS' | 'IN_REVIEW' | 'APPROVED' | 'DECLINED' | 'ABANDONED' | 'EXPIRED'

/** A session that people brought to a status, the face checks passed where there was time for them. */
export async function sessionAt(
  { emulator, session }: Service,
  status: Status,
  fields: object = {},
): Promise<string> {
  const { session_id } = await session(fields)
  const passed = { id_verification: 'passed', liveness: 'passed', face_match: 'passed' } as const
  if (status === 'IN_PROGRESS') emulator.sessions.start(session_id, { checks: passed })
  else if (status !== 'NOT_STARTED') await emulator.sessions.complete(session_id, status)
  return session_id
}

export const statusOf = async ({ get }: Service, id: string) =>
  (await get<Session>(`/api/v2/session/${id}`)).data.status

export const decide = ({ patch }: Service, id: string, status: unknown) =>
  patch<Session>(`/api/v2/session/${id}/status`, { status })

export const decisionOf = async ({ get }: Service, id: string) =>
  (await get<Decision>(`/api/v2/session/${id}/decision`)).data
