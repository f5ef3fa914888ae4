/** How a user starts the program. */
export const programName = 'npx identity-service-sdk'
