/** As much of it as the tests need: it is there in Workers alone. */
declare module 'cloudflare:workers' {
  export const env: { readonly SETTINGS: import('./program/app.mjs').Settings }
}
