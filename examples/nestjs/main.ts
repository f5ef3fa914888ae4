import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { AppModule } from './app.module.ts'
import { PUBLIC_URL } from './identity.module.ts'

const { PORT = '3000', HOST = '127.0.0.1' } = process.env

const app = await NestFactory.create<NestExpressApplication>(AppModule, { rawBody: true })
// Nest would reject bodies of more than 100 KB. A webhook can contain portraits.
app.useBodyParser('json', { limit: '8mb' })
app.disable('x-powered-by')
app.enableShutdownHooks()
await app.listen(Number(PORT), HOST)
console.log(`listening on ${PUBLIC_URL}`)
