import { emulated, start } from '../emulated.ts'
import { organization } from '../organization.ts'
import { signedIn } from '../signed-in.ts'
import { type Visit, visitor } from './visitor.ts'

/** What the pages show of what others have chosen. */
export interface Shown {
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

export const harmless: Shown = {
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

async function hostedPages(shown: Shown): Promise<Record<string, Visit>> {
  let now = start
  const { emulator, session } = emulated({
    clock: () => now,
    workflows: [{ id: 'wf', name: shown.workflow, features: ['liveness', 'age', shown.feature] }],
  })
  const { open, press } = visitor(emulator)
  const create = async () =>
    (
      await session({
        workflow_id: 'wf',
        vendor_data: shown.vendorData,
        redirect_url: shown.redirectUrl,
        ttl_seconds: 60,
      })
    ).url
  const url = await create()
  const late = await create()
  const pages = {
    overview: await open(url),
    'overview, asked again': await press(url, { choice: 'finish' }),
    step: await open(`${url}?step=1`),
    'step, asked again': await press(`${url}?step=1`, { choice: 'answer' }),
    'second step': await press(`${url}?step=1`, { choice: 'answer', liveness: 'passed' }).then(() =>
      open(`${url}?step=2`),
    ),
    summary: await open(`${url}?step=summary`),
    'summary, asked again': await press(`${url}?step=summary`, { choice: 'finish' }),
    'summary of all': await press(`${url}?step=2`, { choice: 'answer', age: 'review' }).then(() =>
      open(`${url}?step=summary`),
    ),
    'form from elsewhere': await press(url, {}, { origin: 'null' }),
    'form that is too large': await press(url, { pad: 'x'.repeat(70_000) }),
    'form that is none': await press(url, { a: 'b' }, { 'content-type': 'text/plain' }),
    'no session': await open('https://identity.example/s/unknown'),
    closed: await press(url, { choice: 'approve' }).then(() => open(url)),
  }
  now = new Date(start.getTime() + 60_000)
  return { ...pages, expired: await open(late) }
}

async function consentPages(shown: Shown): Promise<Record<string, Visit>> {
  const { emulator, authorizationUrl } = signedIn({
    oidc: { clientId: shown.clientId, scopes: ['openid', shown.scope] },
    users: [{ sub: shown.user, name: shown.user }, { sub: 'two', email: shown.email }, { sub: 'three' }],
  })
  const { open, press } = visitor(emulator)
  const url = authorizationUrl({
    client_id: shown.clientId,
    scope: `openid ${shown.scope}`,
    redirect_uri: `http://127.0.0.1:5555/?${shown.redirectUrl}`,
  })
  return {
    consent: await open(url),
    'consent, asked again': await press(url, { choice: shown.user }),
    'no consent': await open(authorizationUrl({ client_id: `${shown.clientId} of somebody else` })),
    'no redirect': await open(
      authorizationUrl({ client_id: shown.clientId, redirect_uri: shown.redirectUrl }),
    ),
  }
}

async function activationPages(shown: Shown): Promise<Record<string, Visit>> {
  const { emulator, deactivate } = organization({
    org: { name: shown.organization },
    members: [
      { email: shown.email, first_name: shown.member, last_name: shown.member, status: 'link_sent' },
      { email: 'bo@example.com', status: 'link_sent' },
    ],
  })
  const { open, press } = visitor(emulator)
  const url = emulator.members.activationLink(shown.email) as string
  const other = emulator.members.activationLink('bo@example.com') as string
  await deactivate('bo@example.com')
  return {
    invitation: await open(url),
    'invitation, asked again': await press(url, {}),
    connected: await press(url, { choice: 'connect' }),
    accepted: await open(url),
    over: await open(other),
    'no invitation': await open('https://identity.example/activate/unknown'),
  }
}

/** Every kind of page for people, errors included. */
export const everyPage = async (shown: Shown = harmless): Promise<Record<string, Visit>> => ({
  ...(await hostedPages(shown)),
  ...(await consentPages(shown)),
  ...(await activationPages(shown)),
})
