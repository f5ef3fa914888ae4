import { startRedis } from '../support/redis-server.ts'
import { hostedVerificationRules } from './hosted-verification.ts'
import { signInAndBegin } from './sign-in-first.ts'

hostedVerificationRules({
  folder: 'hono',
  command: ['node', '--import', 'tsx', 'server.ts'],
  store: { needs: 'redis-server', start: startRedis, setting: 'REDIS_URL' },
  begin: signInAndBegin,
  outcomePath: () => '/me',
})
