import { html } from 'hono/html'
import type { ServiceState } from '../model/service-state.ts'
import { badge } from '../pages/design/components.ts'
import { formatText, formatTime } from './format.ts'
import { consolePage, live } from './layout.ts'
import { recordList } from './record-list.ts'

/** Renders the roster with the activation links, because the emulator sends no email. */
export function membersPage(
  state: ServiceState,
  { url, baseUrl }: { readonly url: URL; readonly baseUrl: string },
): Promise<Response> {
  const { roster, settings } = state
  const nameOf = ({ first_name, last_name }: ReturnType<typeof roster.all>[number]) =>
    [first_name, last_name].filter(Boolean).join(' ')
  return consolePage(
    state,
    'members',
    live(
      'members',
      recordList([...roster.all()].reverse(), {
        label: 'Members',
        headings: ['Member', 'Role', 'Status', 'Member ID and identity', 'Created'],
        url,
        empty: {
          icon: 'users',
          title: 'Nobody is on the roster yet',
          hint: html`Your app adds people with <code>org.members.add()</code>, or the option <code>members</code> does.`,
        },
        search: {
          textOf: (member) => [member.email, nameOf(member), member.role, member.status, member.member_id].join('\n'),
        },
        cells: (member) => {
          const link = roster.activationLink(member.member_id, baseUrl)
          return [
            html`${formatText(nameOf(member))}<br><code>${formatText(member.email)}</code>`,
            formatText(member.role),
            html`${badge(member.status)}${link === null ? '' : html`<br><a href="${link}">Activate<span class="out-of-sight"> ${member.email}</span></a>`}`,
            html`<code class="id">${member.member_id}</code>${member.svc_id === null ? '' : html`<br><code>${formatText(member.svc_id)}</code>`}`,
            formatTime(member.created_at),
          ]
        },
      }),
    ),
    {
      about: html`Organization: ${formatText(settings.org.name)}. The emulator sends no email, so open activation links here.`,
    },
  )
}
