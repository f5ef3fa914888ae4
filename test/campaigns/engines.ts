import { startPostgres } from '../support/postgres-server.ts'
import type { ServiceName } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Service } from '../support/service-process.ts'
import { isFull } from './size.ts'

const everyEngine = [
  { name: 'Redis', service: 'redis-server', start: startRedis },
  { name: 'Redis (ioredis)', service: 'redis-server', start: startRedis },
  { name: 'Postgres', service: 'postgres', start: startPostgres },
] as const satisfies readonly { name: string; service: ServiceName; start(): Promise<Service> }[]

export type Engine = (typeof everyEngine)[number]

/**
 * The stores that processes may share, each with a client library. The second client of Redis only if campaigns run in
 * full.
 */
export const engines = everyEngine.filter(({ name }) => isFull || name !== 'Redis (ioredis)')
