import { expect, it } from 'vitest'
import { legacyEndpoints } from '../../src/contract/sign-in/legacy.ts'
import { documentedCode } from '../support/documented-code.ts'
import { columnOf } from './reading.ts'

const guide = documentedCode('docs/guides/migrating-from-legacy.md')
const { emulator } = guide

it('the error of a legacy call names its replacement', async () => {
  const printed = await guide.run('Find the calls to replace')
  expect(printed).toMatch(/ 410 endpoint_removed: .*\(use oidc\.validateIdToken instead\)/)
})

it('the table of replacements lists each legacy operation', () => {
  const named = columnOf('docs/guides/migrating-from-legacy.md', 'Replacements').join(' ')
  for (const { operation, path, method } of legacyEndpoints) {
    expect(named).toContain(operation.replace('oidc.', ''))
    expect(named).toContain(`${method} ${path.replace('/api/auth/tpsso', '')}`)
  }
})

it('the new sign-in connects an account through the old session and recognizes it later', async () => {
  const accounts = await guide.load<Record<string, unknown>>('Connect existing accounts')
  await guide.whileServing(
    'Add the new sign-in',
    async (port) => {
      const signIn = async (...cookies: string[]) => {
        const login = await fetch(`http://127.0.0.1:${port}/login`, { redirect: 'manual' })
        const cookie = String(login.headers.get('set-cookie')).split(';')[0] as string
        const callback = emulator.signIn.approve(String(login.headers.get('location')))
        return (await fetch(callback, { headers: { cookie: [cookie, ...cookies].join('; ') } })).text()
      }

      expect(await signIn()).toMatch(/^sign in to your old account once/)
      expect(await signIn('old_session=guessed')).toMatch(/^sign in to your old account once/)
      expect(await signIn('old_session=old-session-of-ada')).toBe('welcome back, ada')
      expect(await signIn()).toBe('welcome back, ada')
      const ofAnother = (accounts.accountOf as (...args: string[]) => unknown)(
        'sub_bo',
        'old_session=old-session-of-ada',
      )
      expect(ofAnother, 'another person with the same cookie').toBe(undefined)
    },
    { modules: { './accounts.ts': { ...accounts } } },
  )
})

it('a login marker can be used once', async () => {
  expect(await guide.run('Keep the old callback during the migration')).toBe('true false\n')
})
