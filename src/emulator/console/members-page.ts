import { html } from 'hono/html'
import { badge } from '../pages/badge.ts'
import type { ServiceState } from '../state/service-state.ts'
import { formatText, formatTime } from './format.ts'
import { consolePage, recordTable } from './layout.ts'

/** The roster. Nobody is emailed here: this page is where links that would have been emailed are found. */
export function membersPage({ roster, settings }: ServiceState, baseUrl: string): Promise<Response> {
  const headings = ['Email', 'Name', 'Role', 'Status', 'Member id', 'Identity', 'Since', 'Activation']
  return consolePage(
    'members',
    html`<p>The organization is ${formatText(settings.organization.name)}. Nobody is emailed: activation links are followed from here.</p>
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
