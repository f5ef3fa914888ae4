import { html } from 'hono/html'
import { accessTokenSeconds } from '../../contract/sign-in/oidc.ts'
import type { ServiceState } from '../model/service-state.ts'
import { badge, card } from '../pages/design/components.ts'
import { formatText, formatTime } from './format.ts'
import { addressOf, consolePage, live } from './layout.ts'
import { recordList } from './record-list.ts'

/** Renders who signed in to which client. It never shows the tokens themselves, because they are secrets. */
export const tokensPage = (state: ServiceState, url: URL): Promise<Response> =>
  consolePage(
    state,
    'tokens',
    html`<div class="stack">${live(
      'tokens',
      recordList([...state.signIns.issued()].reverse(), {
        label: 'Issued tokens',
        headings: ['Person and sub', 'Client and scope', 'Issued', 'Access token expires', 'Refresh token'],
        url,
        empty: {
          icon: 'key',
          title: 'Nobody has signed in yet',
          hint: 'Each sign-in and each token refresh of your app adds a line. Tokens themselves are never shown.',
        },
        cells: ({ issuedAt, status, login }) => [
          html`${formatText(login.user.name ?? login.user.email)}<br><code>${formatText(login.user.sub)}</code>`,
          html`<code>${formatText(login.clientId)}</code><br><code class="quiet">${formatText(login.scopes.join(' '))}</code>`,
          formatTime(issuedAt),
          formatTime(new Date(issuedAt.getTime() + accessTokenSeconds * 1000)),
          badge(status),
        ],
      }),
    )}
${card(
  'Signing keys',
  html`<form class="spread" method="post" action="${addressOf('tokens', 'rotate')}">
<p>New tokens are signed with the new key. Old keys stay in the key set.</p>
<button class="outline">Rotate the signing key</button>
</form>`,
)}</div>`,
    { about: 'Who signed in, to which client, and whether the refresh token can still be used.' },
  )
