import { startRedis } from '../support/redis-server.ts'
import { hostedVerificationRules } from './hosted-verification.ts'

hostedVerificationRules({
  folder: 'express',
  command: ['node', '--import', 'tsx', 'server.ts'],
  store: { needs: 'redis-server', start: startRedis, setting: 'REDIS_URL' },
  begin: ({ url }, browser, customer) => browser.visit(`${url}/customers/${customer}/verification`, {}),
  outcomePath: (customer) => `/customers/${customer}`,
})
