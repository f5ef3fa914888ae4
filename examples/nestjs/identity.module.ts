import {
  type BeforeApplicationShutdown,
  Global,
  Inject,
  Logger,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import {
  createVerificationManager,
  isSdkError,
  memoryStore,
  type Store,
  VerificationClient,
  type VerificationManager,
} from 'identity-service-sdk'
import { expressWebhook } from 'identity-service-sdk/express'
import { redisStore } from 'identity-service-sdk/stores/redis'
import { Redis } from 'ioredis'

const { PORT = '3000', WORKFLOW_ID = 'wf_identity' } = process.env
export const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env

// Tokens of what is injected by its interface. Each has its type next to it.
export const REDIS = Symbol('REDIS')
export const STORE = Symbol('STORE')
export const VERIFICATIONS = Symbol('VERIFICATIONS')
export const WEBHOOK = Symbol('WEBHOOK')
export type Webhook = ReturnType<typeof expressWebhook>

/** Provides the client, the verification manager and the webhook handler, and closes what they use. */
@Global()
@Module({
  providers: [
    { provide: VerificationClient, useFactory: () => new VerificationClient() }, // reads SVC_BASE_URL and SVC_API_KEY
    { provide: REDIS, useFactory: connect },
    // Without Redis, run a single process; a restart loses the state.
    { provide: STORE, useFactory: (redis?: Redis) => (redis ? redisStore(redis) : memoryStore()), inject: [REDIS] },
    {
      // One verification for each person. It reads the outcome from the service, never from an event or the browser.
      provide: VERIFICATIONS,
      useFactory: (client: VerificationClient, store: Store) =>
        createVerificationManager({
          client,
          store,
          session: {
            workflow_id: WORKFLOW_ID,
            redirect_url: `${PUBLIC_URL}/return`,
            callback: `${PUBLIC_URL}/webhooks`,
          },
        }),
      inject: [VerificationClient, STORE],
    },
    {
      provide: WEBHOOK,
      useFactory: (store: Store, verifications: VerificationManager): Webhook =>
        // Reads SVC_WEBHOOK_SECRET.
        expressWebhook({
          store,
          consumers: [verifications],
          onError: (error, { event }) => logError(error, event?.event_id),
        }),
      inject: [STORE, VERIFICATIONS],
    },
  ],
  exports: [VERIFICATIONS, WEBHOOK],
})
export class IdentityModule implements BeforeApplicationShutdown, OnApplicationShutdown {
  #sweep: NodeJS.Timeout | undefined

  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(VerificationClient) private readonly client: VerificationClient,
    @Inject(REDIS) private readonly redis: Redis | undefined,
  ) {}

  beforeApplicationShutdown() {
    const server = this.host.httpAdapter.getHttpServer()
    // Closes connections once they are idle; otherwise their clients could keep them open.
    this.#sweep = setInterval(() => server.closeIdleConnections(), 100)
  }

  // Nest calls this hook after the requests in progress. onModuleDestroy and beforeApplicationShutdown run before they
  // have ended, and would take the client and Redis away from them.
  async onApplicationShutdown() {
    clearInterval(this.#sweep)
    await this.client.close()
    await this.redis?.quit()
  }
}

function connect(): Redis | undefined {
  const { REDIS_URL } = process.env
  if (!REDIS_URL) return undefined
  return new Redis(REDIS_URL).on('error', (error) => logger.error(`redis: ${error.message}`))
}

const logger = new Logger('identity')

/** Errors of this package contain no secrets and no personal data. Give their requestId to the service's support. */
export function logError(error: unknown, eventId?: string) {
  logger.error(JSON.stringify({ eventId, error: isSdkError(error) ? error : String(error) }))
}
