import { PrismaPg } from '@prisma/adapter-pg'
import { createWebhookHandler } from 'identity-service-sdk/webhooks'
import { PrismaClient } from './generated/client.ts'
import { databaseUrl, serve } from './serve.ts'

const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: databaseUrl, query_timeout: 10_000 }) })

const handler = createWebhookHandler({
  on: {
    'verification.approved': ({ event_id, session_id }) =>
      prisma.$transaction(async (tx) => {
        const { count } = await tx.handledEvent.createMany({ data: { event_id }, skipDuplicates: true })
        if (count === 0) return
        await tx.mail.create({ data: { session_id } })
      }),
  },
})

await serve(handler, () => prisma.$disconnect())
