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
    // Next finishes the requests in progress and then exits with the code of the signal.
    exitCode: 143,
    store: { needs: 'redis-server', start: startRedis, setting: 'REDIS_URL' },
    async begin({ url }, browser, customer) {
      const { text } = await browser.visit(url)
      // The hidden field of a server action's form, for browsers without scripts.
      const [, action = ''] = /name="(\$ACTION_ID_\w+)"/.exec(text) ?? []
      const form = new FormData()
      form.set(action, '')
      form.set('customer', customer)
      const response = await browser.visit(url, form)
      return response.next.startsWith(url) ? browser.visit(response.next) : response
    },
    outcomePath: (customer) => `/customers/${customer}`,
  })
})
