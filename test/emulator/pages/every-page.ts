import { rosterOf } from '../support/roster.ts'
import { inProcess, later, start } from '../support/service.ts'
import { signInAt } from '../support/sign-in.ts'
import { type Visit, visitor } from './visitor.ts'

/** The texts from outside the emulator that the pages show. */
export interface PageTexts {
  readonly workflow: string
  readonly feature: string
  readonly vendorData: string
  readonly redirectUrl: string
  readonly clientId: string
  readonly scope: string
  readonly user: string
  readonly email: string
  readonly organization: string
  readonly member: string
}

export const harmless: PageTexts = {
  workflow: 'Identity',
  feature: 'voice',
  vendorData: 'customer-1',
  redirectUrl: 'https://app.example/back',
  clientId: 'an_app',
  scope: 'own',
  user: 'Ada',
  email: 'ada@example.com',
  organization: 'Example Ltd',
  member: 'Ada',
}

async function hostedPages(texts: PageTexts): Promise<Record<string, Visit>> {
  let now = start
  const { emulator, session } = inProcess({
    clock: () => now,
    workflows: [{ id: 'wf', name: texts.workflow, features: ['liveness', 'age', texts.feature as never] }],
  })
  const { open, press } = visitor(emulator)
  const create = async () =>
    (
      await session({
        workflow_id: 'wf',
        vendor_data: texts.vendorData,
        redirect_url: texts.redirectUrl,
        ttl_seconds: 60,
      })
    ).url
  const url = await create()
  const late = await create()
  const pages = {
    overview: await open(url),
    'overview, with an error': await press(url, { choice: 'finish' }),
    step: await open(`${url}?step=1`),
    'step, with an error': await press(`${url}?step=1`, { choice: 'continue' }),
    'second step': await press(`${url}?step=1`, { choice: 'continue', liveness: 'passed' }).then(() =>
      open(`${url}?step=2`),
    ),
    summary: await open(`${url}?step=summary`),
    'summary, with an error': await press(`${url}?step=summary`, { choice: 'finish' }),
    'summary of all': await press(`${url}?step=2`, { choice: 'continue', age: 'review' }).then(() =>
      open(`${url}?step=summary`),
    ),
    'cross-site form': await press(url, {}, { origin: 'null' }),
    'oversized form': await press(url, { pad: 'x'.repeat(70_000) }),
    'form in another encoding': await press(url, { a: 'b' }, { 'content-type': 'text/plain' }),
    'unknown session': await open('https://identity.example/s/unknown'),
    closed: await press(url, { choice: 'approve' }).then(() => open(url)),
  }
  now = later(60)
  return { ...pages, expired: await open(late) }
}

async function consentPages(texts: PageTexts): Promise<Record<string, Visit>> {
  const { emulator, authorizationUrl } = signInAt(
    inProcess({
      oidc: { clientId: texts.clientId, scopes: ['openid', texts.scope], redirectUris: undefined },
      users: [{ sub: texts.user, name: texts.user }, { sub: 'two', email: texts.email }, { sub: 'three' }],
    }),
  )
  const { open, press } = visitor(emulator)
  const url = authorizationUrl({
    client_id: texts.clientId,
    scope: `openid ${texts.scope}`,
    redirect_uri: `http://127.0.0.1:5555/?${texts.redirectUrl}`,
  })
  return {
    consent: await open(url),
    'consent, with an error': await press(url, { choice: texts.user }),
    'unknown client': await open(authorizationUrl({ client_id: `${texts.clientId} that is unknown` })),
    'unknown redirect URI': await open(
      authorizationUrl({ client_id: texts.clientId, redirect_uri: texts.redirectUrl }),
    ),
  }
}

async function activationPages(texts: PageTexts): Promise<Record<string, Visit>> {
  const { emulator, deactivate } = rosterOf(
    inProcess({
      org: { name: texts.organization },
      members: [
        { email: texts.email, first_name: texts.member, last_name: texts.member, status: 'link_sent' },
        { email: 'bo@example.com', status: 'link_sent' },
      ],
    }),
  )
  const { open, press } = visitor(emulator)
  const url = emulator.members.activationLink(texts.email) as string
  const other = emulator.members.activationLink('bo@example.com') as string
  await deactivate('bo@example.com')
  return {
    invitation: await open(url),
    'invitation, with an error': await press(url, {}),
    connected: await press(url, { choice: 'connect' }),
    accepted: await open(url),
    replaced: await open(other),
    'unknown invitation': await open('https://identity.example/activate/unknown'),
  }
}

/** Opens each kind of page for end users, including error pages. */
export const everyPage = async (texts: PageTexts = harmless): Promise<Record<string, Visit>> => ({
  ...(await hostedPages(texts)),
  ...(await consentPages(texts)),
  ...(await activationPages(texts)),
})
