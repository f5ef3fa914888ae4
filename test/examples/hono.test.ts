import { startRedis } from '../support/redis-server.ts'
import { hostedVerificationRules } from './hosted-verification.ts'

hostedVerificationRules({
  folder: 'hono',
  command: ['node', 'server.js'],
  store: { needs: 'redis-server', start: startRedis, setting: 'REDIS_URL' },
  async begin({ url }, browser, user) {
    const { next: consentPage } = await browser.visit(`${url}/login`)
    const { next: callback } = await browser.visit(consentPage, { user, choice: 'approve' })
    await browser.visit(callback)
    return browser.visit(`${url}/verification`, {})
  },
  outcomePath: () => '/me',
})
