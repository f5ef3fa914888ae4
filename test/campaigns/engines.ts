import { startRedis } from '../support/redis-server.ts'

/** The store that processes share. Tests of the store cover how others differ. */
export const engine = { name: 'Redis', service: 'redis-server', start: startRedis } as const
