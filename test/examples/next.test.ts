import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll } from 'vitest'
import { startRedis } from '../support/redis-server.ts'
import { hostedVerificationRules } from './hosted-verification.ts'
import { describeInstalled, examplePath } from './program.ts'

const next = 'node_modules/next/dist/bin/next'

describeInstalled('next', () => {
  beforeAll(async () => {
    const env = { PATH: process.env.PATH, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' } as const
    await promisify(execFile)(process.execPath, [next, 'build'], { cwd: examplePath('next'), env })
  }, 400_000)

  hostedVerificationRules({
    folder: 'next',
    command: ['node', next, 'start'],
    // It takes what is under way to its end, and says then that a signal has ended it.
    exitCode: 143,
    store: { needs: 'redis-server', start: startRedis, setting: 'REDIS_URL' },
    async begin({ url }, browser, customer) {
      const { text } = await browser.visit(url)
      // What the form of a server action holds beside its fields, for browsers without scripts.
      const [, action = ''] = /name="(\$ACTION_ID_\w+)"/.exec(text) ?? []
      const form = new FormData()
      form.set(action, '')
      form.set('customer', customer)
      const answer = await browser.visit(url, form)
      return answer.next.startsWith(url) ? browser.visit(answer.next) : answer
    },
    outcomePath: (customer) => `/customers/${customer}`,
  })
})
