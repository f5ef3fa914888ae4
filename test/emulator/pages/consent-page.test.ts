import { expect, it } from 'vitest'
import { application, inProcess, redirectUri } from '../support/service.ts'
import { signInAt } from '../support/sign-in.ts'
import { named, textOf } from './document.ts'
import { alertOf, buttons, headingOf, radios, selectedRadios, textOnPage, visitor } from './visitor.ts'

const users = [{ sub: 'u1', name: 'One' }, { sub: 'u2', email: 'two@example.com' }, { sub: 'u3' }]

it('shows the application, the redirect URI and the sample user', async () => {
  const { emulator, authorizationUrl } = signInAt(inProcess())

  const visit = await visitor(emulator).open(authorizationUrl())

  expect(visit.status).toBe(200)
  expect(headingOf(visit)).toBe(`Sign in to ${application.client_id}`)
  expect(textOnPage(visit)).toContain(redirectUri)
  expect(named(visit.document, 'legend').map(textOf)).toEqual(['Sign in as'])
  expect(named(visit.document, 'label').map((label) => textOf(label).trim())).toEqual(['Alex Sample'])
  expect(radios(visit)).toEqual(['user=user_sample*'])
})

it('describes what each scope allows the application to do, with its name', async () => {
  const { emulator, authorizationUrl } = signInAt(
    inProcess({ oidc: { scopes: ['openid', 'profile', 'verifications', 'zkp', 'payroll'] } }),
  )

  const visit = await visitor(emulator).open(
    authorizationUrl({ scope: 'openid profile verifications zkp payroll' }),
  )

  expect(named(visit.document, 'li').map(textOf)).toEqual([
    'Recognize you when you come back (openid)',
    'See your name and email address (profile)',
    'See which of your verifications passed (verifications)',
    'Request proofs about you without seeing the data behind them (zkp)',
    'Use a permission that the app defines (payroll)',
  ])
})

it('lists each requested scope once', async () => {
  const { emulator, authorizationUrl } = signInAt(inProcess())

  const visit = await visitor(emulator).open(authorizationUrl({ scope: 'openid openid' }))

  expect(named(visit.document, 'li')).toHaveLength(1)
})

it('lists all users, with the first one selected', async () => {
  const { emulator, authorizationUrl } = signInAt(inProcess({ users }))

  const visit = await visitor(emulator).open(authorizationUrl())

  expect(radios(visit)).toEqual(['user=u1*', 'user=u2', 'user=u3'])
  expect(named(visit.document, 'label').map((label) => textOf(label).trim())).toEqual([
    'One',
    'two@example.com',
    'u3',
  ])
  expect(buttons(visit)).toEqual(['choice=approve', 'choice=deny'])
})

it('rejects an approval for an unknown user with 400', async () => {
  const { emulator, authorizationUrl } = signInAt(inProcess({ users }))

  const rejected = await visitor(emulator).press(authorizationUrl(), { choice: 'approve', user: 'u4' })

  expect(rejected).toMatchObject({ status: 400, location: null })
  expect(alertOf(rejected)).not.toBe('')
  expect(selectedRadios(rejected)).toEqual(['user=u1'])
})

it('declines even if the form names an unknown user', async () => {
  const { emulator, authorizationUrl } = signInAt(inProcess({ users }))

  const { location } = await visitor(emulator).press(authorizationUrl(), { choice: 'deny', user: 'u4' })

  expect(location).toContain('error=access_denied')
})

it('validates the authorization request again when the form is submitted', async () => {
  const { emulator, authorizationUrl } = signInAt(inProcess())

  const rejected = await visitor(emulator).press(
    authorizationUrl({ redirect_uri: 'https://evil.example/' }),
    {
      choice: 'approve',
    },
  )

  expect(rejected).toMatchObject({ status: 400, location: null })
})
