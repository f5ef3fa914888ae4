/** Replaces what only code can do in a message, such as an option of a client, with what a command can. */
export const withSettingNames = (message: string, baseUrl: 'SVC_BASE_URL' | 'SVC_ORG_BASE_URL'): string =>
  Object.entries({
    baseUrl,
    apiKey: 'SVC_API_KEY',
    clientId: 'SVC_CLIENT_ID',
    clientSecret: 'SVC_CLIENT_SECRET',
  })
    .reduce((text, [option, setting]) => text.replace(new RegExp(`\\b${option}\\b`, 'g'), setting), message)
    // A command shows no error to read a property of.
    .replace(/ read error\.\w+, or set/, ' set')
