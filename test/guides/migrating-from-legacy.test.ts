import { expect, it } from 'vitest'
import { legacyEndpoints } from '../../src/contract/sign-in/legacy.ts'
import { documented } from '../support/documented.ts'
import { columnOf } from './reading.ts'

const guide = documented('docs/migrating-from-legacy.md')
const { emulator } = guide

it('a legacy call is answered with what to call instead', async () => {
  const printed = await guide.run('What you see today')
  expect(printed).toMatch(/^410 endpoint_removed .*\(use oidc\.validateIdToken instead\)\n$/)
})

it('each legacy operation has its line in the table', () => {
  const named = columnOf('docs/migrating-from-legacy.md', 'What replaces what').join(' ')
  for (const { operation, path, method } of legacyEndpoints) {
    expect(named).toContain(operation.replace('oidc.', ''))
    expect(named).toContain(`${method} ${path.replace('/api/auth/tpsso', '')}`)
  }
})

it('the new sign-in connects an account by the old session, and knows it from then on', async () => {
  const accounts = await guide.load<Record<string, unknown>>('Keep your people')
  await guide.whileServing(
    'The new sign-in',
    async (port) => {
      const signIn = async (...cookies: string[]) => {
        const login = await fetch(`http://127.0.0.1:${port}/login`, { redirect: 'manual' })
        const ours = String(login.headers.get('set-cookie')).split(';')[0] as string
        const callback = emulator.signIn.approve(String(login.headers.get('location')))
        return (await fetch(callback, { headers: { cookie: [ours, ...cookies].join('; ') } })).text()
      }

      expect(await signIn()).toMatch(/^sign in to your old account once/)
      expect(await signIn('old_session=guessed')).toMatch(/^sign in to your old account once/)
      expect(await signIn('old_session=old-session-of-ada')).toBe('welcome back, ada')
      expect(await signIn()).toBe('welcome back, ada')
    },
    { modules: { './accounts.js': { ...accounts } } },
  )
})

it('a login marker is spent once', async () => {
  expect(await guide.run('While old code still runs')).toBe('true false\n')
})
