import { type Logger, OrgClient } from 'identity-service-sdk'
import { errorDetailOf, requireSetting, type Settings } from '../env-settings.ts'
import type { Shell } from '../shell.ts'

/** @throws {CommandFailure} a setting is missing */
export function createOrgClient({ context: { fetch } }: Shell, settings: Settings, logger?: Logger): OrgClient {
  return new OrgClient({
    baseUrl: requireSetting(settings, 'SVC_ORG_BASE_URL'),
    clientId: requireSetting(settings, 'SVC_CLIENT_ID'),
    clientSecret: requireSetting(settings, 'SVC_CLIENT_SECRET'),
    fetch,
    logger,
    errorDetail: errorDetailOf(settings),
  })
}
