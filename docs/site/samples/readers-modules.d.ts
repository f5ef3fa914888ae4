// The modules that belong to the reader's own app, as samples import them.

declare module '*/verifications.ts' {
  export const verifications: import('identity-service-sdk').VerificationManager
}

declare module '*/verifications' {
  export * from 'app/verifications.ts'
}

declare module '*/session.ts' {
  export function userIdOf(headers: object): string
  export function sessionCookie(userId: string): Promise<string>
}

declare module '*/session' {
  export * from 'app/session.ts'
}

declare module '*/store.ts' {
  export const store: import('identity-service-sdk').ScannableStore
}

declare module '*/webhook-options.ts' {
  type Options = import('identity-service-sdk').WebhookHandlerOptions
  export const options: { [Name in 'on' | 'onError' | 'onTestEvent']: NonNullable<Options[Name]> }
}

declare module '*/webhook-options' {
  export * from 'app/webhook-options.ts'
}

declare module '*/app.ts' {
  import type { Pool } from 'pg'
  export const pool: Pool
  export function outcomeOf(client: import('identity-service-sdk').VerificationClient, userId: string): Promise<string>
}

declare module '*/my-store.ts' {
  export function myStore(options: { prefix?: string; now?: () => Date }): import('identity-service-sdk').ScannableStore
}

declare module '*/limiter.ts' {
  import type { RateLimiterAbstract } from 'rate-limiter-flexible'
  export function limiter(keyPrefix: string, points: number, duration: number): RateLimiterAbstract
}

declare module '*/secrets.ts' {
  export const secrets: { get(name: string): Promise<string> }
}

declare module '*/jobs.ts' {
  interface Job {
    readonly params: import('identity-service-sdk').AgeParams
    readonly status?: string
  }
  export const jobs: { get(id: string): Job; set(id: string, job: Job): void }
}

declare module '*/accounts.ts' {
  export function accountOf(sub: string, cookie: string | undefined): string | undefined
}

declare module '*/exporter.ts' {
  export const exporter: import('@opentelemetry/sdk-trace').SpanExporter
}

declare module '*/photo-key.ts' {
  type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>
  export function photoKey(check: string, personId: string, photo: Chunks): Promise<string>
}

declare module '*/sync-feed.ts' {
  export function plain(email: string): string
}

declare module '*/upload-failure.ts' {
  export const maxBytes: number
  export function uploadFailure(error: unknown): { status: number; message: string }
}

declare module '*/error-response.ts' {
  interface ErrorResponse {
    status: number
    headers: Record<string, string>
    body: { message: string }
  }
  export function errorResponse(error: unknown): ErrorResponse
}

declare module '*/sdk-error-filter.ts' {
  export class SdkErrorFilter {
    catch(error: unknown, host: unknown): void
  }
}

// The samples are for MSW 3, and this repository installs MSW 2, which runs on Node 20.
declare module 'msw/node' {
  export function setupServer(...handlers: readonly import('msw').HttpHandler[]): {
    listen(options: { onUnhandledFrame: 'error' }): void
    close(): void
  }
}

declare module 'cloudflare:workers' {
  export const env: Readonly<Record<string, string>>
}

// Next.js and Jest belong to the reader's project too.
declare module 'next/headers' {
  export function headers(): Promise<Headers>
}

declare module 'next/navigation' {
  export function redirect(path: string): never
}

declare module '@jest/globals' {
  export function test(name: string, run: () => Promise<void>): void
  export function expect(actual: unknown): { toBe(expected: unknown): void }
}
