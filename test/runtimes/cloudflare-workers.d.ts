/** The parts that the tests use. The module exists only in Workers. */
declare module 'cloudflare:workers' {
  export const env: { readonly SETTINGS: import('./program/app.mjs').Settings }
}
