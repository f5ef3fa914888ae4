import { startPostgres } from '../support/postgres-server.ts'
import { hostedVerificationRules } from './hosted-verification.ts'

hostedVerificationRules({
  folder: 'fastify',
  command: ['node', '--import', 'tsx', 'server.ts'],
  store: { needs: 'postgres', start: startPostgres, setting: 'DATABASE_URL' },
  begin: ({ url }, browser, customer) => browser.visit(`${url}/drivers/${customer}`, {}),
  outcomePath: (customer) => `/drivers/${customer}`,
})
