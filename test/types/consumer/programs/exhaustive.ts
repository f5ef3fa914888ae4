// Switches over what the service sends. Each has a default, because unions may grow.
import {
  type Check,
  type CheckStatus,
  type MemberStatus,
  type SessionStatus,
  sessionStatuses,
} from 'identity-service-sdk'

export function label(status: SessionStatus): string {
  switch (status) {
    case 'NOT_STARTED':
    case 'IN_PROGRESS':
      return 'open'
    case 'IN_REVIEW':
      return 'waiting'
    case 'APPROVED':
    case 'DECLINED':
      return 'decided'
    case 'ABANDONED':
    case 'EXPIRED':
      return 'over'
    default:
      return `unknown: ${status}`
  }
}

/** A table must name every listed value. */
export const colors: Readonly<Record<(typeof sessionStatuses)[number], string>> = {
  NOT_STARTED: 'gray',
  IN_PROGRESS: 'blue',
  IN_REVIEW: 'yellow',
  APPROVED: 'green',
  DECLINED: 'red',
  ABANDONED: 'gray',
  EXPIRED: 'gray',
}

/** A value of a database or a form is checked against the list. */
export const toStatus = (text: string) => sessionStatuses.find((status) => status === text)

export const isFinal = (status: CheckStatus): boolean => status !== 'pending' && status !== 'running'

export const canSignIn = (status: MemberStatus): boolean => status === 'active'

export function summary(check: Check): string {
  switch (check.type) {
    case 'id_verification':
      return check.data.fields?.full_name ?? 'no name'
    case 'liveness':
      return `live score ${check.data.live_score ?? 'unknown'}`
    case 'face_match':
      return `similarity ${check.data.similarity ?? 'unknown'}`
    case 'age':
      return `${check.data.age ?? 'unknown'} years`
    case 'credential':
      return check.data.license?.license_number ?? 'no license'
    case 'location':
      return `${check.data.distance_m ?? 'unknown'} m`
    default:
      return `a check of type ${check.type}, with ${Object.keys(check.data).length} fields`
  }
}
