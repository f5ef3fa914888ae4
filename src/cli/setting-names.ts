export const secretSettings = ['SVC_API_KEY', 'SVC_CLIENT_SECRET', 'SVC_WEBHOOK_SECRET'] as const

/** What the environment, or a file in its place, can hold for the command line. */
export const settingNames = ['SVC_BASE_URL', 'SVC_ORG_BASE_URL', 'SVC_CLIENT_ID', ...secretSettings] as const

export type SettingName = (typeof settingNames)[number]
