import { OrgClient } from '../../org.ts'
import { need, type Settings } from '../settings.ts'
import type { Shell } from '../shell.ts'

/** A client of the roster. */
export function organization({ around: { fetch } }: Shell, settings: Settings): OrgClient {
  return new OrgClient({
    baseUrl: need(settings, 'SVC_ORG_BASE_URL'),
    clientId: need(settings, 'SVC_CLIENT_ID'),
    clientSecret: need(settings, 'SVC_CLIENT_SECRET'),
    fetch,
  })
}
