import { startPostgres } from '../support/postgres-server.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Service } from '../support/service-process.ts'
import type { ServiceName } from '../support/programs.ts'

/** What processes may share their state by, and the client library that they use. */
export const engines = [
  { name: 'Redis', service: 'redis-server', start: startRedis },
  { name: 'Redis (ioredis)', service: 'redis-server', start: startRedis },
  { name: 'Postgres', service: 'postgres', start: startPostgres },
] as const satisfies readonly { name: string; service: ServiceName; start(): Promise<Service> }[]

export type Engine = (typeof engines)[number]
