import { PrismaPg } from '@prisma/adapter-pg'
import type { WebhookHandlerOptions } from 'identity-service-sdk/webhooks'
import { PrismaClient } from './generated/client.ts'
import { databaseUrl, serve } from './serve.ts'

// Without these times, a callback would wait for a database that is silent.
const limits = { connectionTimeoutMillis: 5_000, query_timeout: 10_000 }
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: databaseUrl, ...limits }) })

const options: WebhookHandlerOptions = {
  on: {
    'verification.approved': ({ event_id, session_id }) =>
      prisma.$transaction(async (tx) => {
        const { count } = await tx.handledEvent.createMany({ data: { event_id }, skipDuplicates: true })
        if (count === 0) return
        await tx.mail.create({ data: { session_id } })
      }),
  },
}

await serve(options, () => prisma.$disconnect())
