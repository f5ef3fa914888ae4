/**
 * Generates a key of 32 bytes in base64url. Every machine that runs a client has Node, and not every one has openssl.
 */
export const keyCommand = "node -e \"console.log(require('node:crypto').randomBytes(32).toString('base64url'))\""

/** The last sentence of a message about a key that is missing or invalid. */
export const keyAdvice = `To generate one, run: ${keyCommand}`

/** The same for a secret that comes from an environment variable. */
export const secretAdvice = `check the variable that you pass. ${keyAdvice}`
