import { html } from 'hono/html'
import { badge } from '../pages/badge.ts'
import type { ServiceState } from '../state/service-state.ts'
import { formatText, formatTime } from './format.ts'
import { consolePage, recordTable } from './layout.ts'

/** Renders the roster with the activation links, because the emulator sends no email. */
export function membersPage({ roster, settings }: ServiceState, baseUrl: string): Promise<Response> {
  const headings = ['Email', 'Name', 'Role', 'Status', 'Member ID', 'Identity', 'Created', 'Activation']
  return consolePage(
    'members',
    html`<p>Organization: ${formatText(settings.organization.name)}. The emulator sends no email. Open activation links from this page.</p>
${recordTable('Members', headings, roster.all(), (member) => {
  const link = roster.activationLink(member.member_id, baseUrl)
  return [
    formatText(member.email),
    formatText([member.first_name, member.last_name].filter(Boolean).join(' ')),
    formatText(member.role),
    badge(member.status),
    html`<code>${member.member_id}</code>`,
    member.svc_id === null ? formatText(null) : html`<code>${formatText(member.svc_id)}</code>`,
    formatTime(member.created_at),
    link === null
      ? ''
      : html`<a href="${link}">Activate<span class="out-of-sight"> ${member.email}</span></a>`,
  ]
})}`,
  )
}
