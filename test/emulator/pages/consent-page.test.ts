import { expect, it } from 'vitest'
import { application, inProcess, redirectUri } from '../support/service.ts'
import { signInAt } from '../support/sign-in.ts'
import { alertOf, buttons, headingOf, named, radios, selectedRadios, textOnPage, visitor } from './visitor.ts'

const users = [{ sub: 'u1', name: 'One' }, { sub: 'u2', email: 'two@example.com' }, { sub: 'u3' }]

it('shows the application, the redirect URI and the sample user', async () => {
  const { emulator, authorizationUrl } = signInAt(inProcess())

  const visit = await visitor(emulator).open(authorizationUrl())

  expect(visit.status).toBe(200)
  expect(headingOf(visit)).toBe(`Sign in to ${application.client_id}`)
  expect(textOnPage(visit)).toContain(redirectUri)
  expect(named(visit, 'legend').map(({ text }) => text)).toEqual(['Sign in as'])
  expect(named(visit, 'label').map(({ text }) => text.trim())).toEqual(['Alex Sample alex@example.com'])
  expect(radios(visit)).toEqual(['user=user_sample*'])
})

it('lists the requested scopes by name, and does not state what they release', async () => {
  const { emulator, authorizationUrl } = signInAt(inProcess())

  const visit = await visitor(emulator).open(authorizationUrl({ scope: 'openid profile verifications zkp' }))

  expect(named(visit, 'h2').map(({ text }) => text)).toEqual(['Requested scopes'])
  expect(named(visit, 'li').map(({ text }) => text)).toEqual(['openid', 'profile', 'verifications', 'zkp'])
  expect(textOnPage(visit)).not.toMatch(/the app defines|name and email/)
  // Attribute release is disabled (section 9).
  const types = named(visit, 'input').map(({ attributes }) => attributes.type)
  expect(types).not.toContain('checkbox')
})

it('lists each requested scope once', async () => {
  const { emulator, authorizationUrl } = signInAt(inProcess())

  const visit = await visitor(emulator).open(authorizationUrl({ scope: 'openid openid' }))

  expect(named(visit, 'li')).toHaveLength(1)
})

it('lists all users, with the first one selected', async () => {
  const { emulator, authorizationUrl } = signInAt(inProcess({ users }))

  const visit = await visitor(emulator).open(authorizationUrl())

  expect(radios(visit)).toEqual(['user=u1*', 'user=u2', 'user=u3'])
  expect(named(visit, 'label').map(({ text }) => text.trim())).toEqual(['One u1', 'two@example.com', 'u3'])
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

  const rejected = await visitor(emulator).press(authorizationUrl({ redirect_uri: 'https://evil.example/' }), {
    choice: 'approve',
  })

  expect(rejected).toMatchObject({ status: 400, location: null })
})
