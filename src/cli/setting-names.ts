/** Replaces the names of a client's options in a message with the settings that contain their values. */
export const withSettingNames = (message: string, baseUrl: 'SVC_BASE_URL' | 'SVC_ORG_BASE_URL'): string =>
  Object.entries({
    baseUrl,
    apiKey: 'SVC_API_KEY',
    clientId: 'SVC_CLIENT_ID',
    clientSecret: 'SVC_CLIENT_SECRET',
  }).reduce((text, [option, setting]) => text.replace(new RegExp(`\\b${option}\\b`, 'g'), setting), message)
