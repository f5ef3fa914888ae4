import { expect, it } from 'vitest'
import { signedIn } from '../signed-in.ts'
import { named, textOf } from './document.ts'
import { alertOf, buttons, picked, radios, visitor } from './visitor.ts'

const users = [{ sub: 'u1', name: 'One' }, { sub: 'u2', email: 'two@example.com' }, { sub: 'u3' }]

it('says in words what each scope lets the application do, and names it', async () => {
  const { emulator, authorizationUrl } = signedIn({
    oidc: { scopes: ['openid', 'profile', 'verifications', 'zkp', 'payroll'] },
  })

  const visit = await visitor(emulator).open(
    authorizationUrl({ scope: 'openid profile verifications zkp payroll' }),
  )

  expect(named(visit.document, 'li').map(textOf)).toEqual([
    'Know you again when you come back (openid)',
    'See your name and your email address (profile)',
    'See which of your verifications passed (verifications)',
    'Ask for proofs about you that do not show the data behind them (zkp)',
    'Something that only the application can explain (payroll)',
  ])
})

it('asks only for what this sign-in asks', async () => {
  const { emulator, authorizationUrl } = signedIn()

  const visit = await visitor(emulator).open(authorizationUrl({ scope: 'openid openid' }))

  expect(named(visit.document, 'li')).toHaveLength(1)
})

it('offers everybody who can sign in, the first of them picked', async () => {
  const { emulator, authorizationUrl } = signedIn({ users })

  const visit = await visitor(emulator).open(authorizationUrl())

  expect(radios(visit)).toEqual(['user=u1*', 'user=u2', 'user=u3'])
  expect(named(visit.document, 'label').map((label) => textOf(label).trim())).toEqual([
    'One',
    'two@example.com',
    'u3',
  ])
  expect(buttons(visit)).toEqual(['choice=approve', 'choice=deny'])
})

it('signs nobody in who is not there', async () => {
  const { emulator, authorizationUrl } = signedIn({ users })

  const refused = await visitor(emulator).press(authorizationUrl(), { choice: 'approve', user: 'u4' })

  expect(refused).toMatchObject({ status: 400, location: null })
  expect(alertOf(refused)).not.toBe('')
  expect(picked(refused)).toEqual(['user=u1'])
})

it('lets somebody decline who is not there', async () => {
  const { emulator, authorizationUrl } = signedIn({ users })

  const { location } = await visitor(emulator).press(authorizationUrl(), { choice: 'deny', user: 'u4' })

  expect(location).toContain('error=access_denied')
})

it('looks at the address again when the form comes', async () => {
  const { emulator, authorizationUrl } = signedIn()

  const refused = await visitor(emulator).press(authorizationUrl({ redirect_uri: 'https://evil.example/' }), {
    choice: 'approve',
  })

  expect(refused).toMatchObject({ status: 400, location: null })
})
