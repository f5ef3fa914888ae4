import { html } from 'hono/html'
import { accessTokenSeconds } from '../../contract/sign-in/oidc.ts'
import { badge } from '../pages/badge.ts'
import type { ServiceState } from '../state/service-state.ts'
import { formatText, formatTime } from './format.ts'
import { addressOf, consolePage, recordTable } from './layout.ts'

/** Renders who signed in to which client. It never shows the tokens themselves, because they are secrets. */
export function tokensPage({ signIns }: ServiceState): Promise<Response> {
  const headings = ['Issued', 'Person', 'sub', 'Client', 'Scope', 'Access token expires', 'Refresh token']
  return consolePage(
    'tokens',
    html`${recordTable('Issued tokens', headings, signIns.issued(), ({ issuedAt, status, login }) => [
      formatTime(issuedAt),
      formatText(login.user.name ?? login.user.email),
      html`<code>${formatText(login.user.sub)}</code>`,
      html`<code>${formatText(login.clientId)}</code>`,
      formatText(login.scopes.join(' ')),
      formatTime(new Date(issuedAt.getTime() + accessTokenSeconds * 1000)),
      badge(status),
    ])}
<h2>Signing keys</h2>
<form method="post" action="${addressOf('tokens', 'rotate')}">
<p>New tokens are signed with the new key. Old keys stay in the key set.</p>
<button>Rotate the signing key</button>
</form>`,
  )
}
