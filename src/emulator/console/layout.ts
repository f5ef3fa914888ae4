import { html } from 'hono/html'
import type { ServiceState } from '../model/service-state.ts'
import type { Markup } from '../pages/design/components.ts'
import { type IconName, icon } from '../pages/design/icons.ts'
import { page } from '../pages/page.ts'

/** Path of the console. No path of the service starts with it. */
export const consolePath = '/_emulator'

interface PageFacts {
  /** Below the console. */
  readonly path: string
  readonly name: string
  readonly icon: IconName
  /** How many records it shows, next to its link. */
  readonly count?: (state: ServiceState) => number
}

const pageFacts = {
  overview: { path: '', name: 'Overview', icon: 'grid' },
  sessions: {
    path: '/sessions',
    name: 'Sessions',
    icon: 'userCheck',
    count: ({ sessions }) => sessions.all().length,
  },
  checks: {
    path: '/checks',
    name: 'Checks',
    icon: 'checkCircle',
    count: ({ checkLog }) => checkLog.entries.length,
  },
  webhooks: {
    path: '/webhooks',
    name: 'Webhooks',
    icon: 'send',
    count: ({ deliveries }) => deliveries.records.length,
  },
  members: { path: '/members', name: 'Members', icon: 'users', count: ({ roster }) => roster.all().length },
  tokens: { path: '/tokens', name: 'Tokens', icon: 'key', count: ({ signIns }) => signIns.issued().length },
  ledger: {
    path: '/ledger',
    name: 'Ledger',
    icon: 'creditCard',
    count: ({ wallet }) => wallet.ledger.length,
  },
  requests: {
    path: '/requests',
    name: 'Requests',
    icon: 'activity',
    count: ({ requestLog }) => requestLog.requests.length,
  },
  faults: {
    path: '/faults',
    name: 'Faults',
    icon: 'zap',
    count: ({ faults, deliveries }) => faults.pending.length + deliveries.faults.pending.length,
  },
} as const satisfies Readonly<Record<string, PageFacts>>

export type ConsolePage = keyof typeof pageFacts

/** The pages in the order of the navigation. */
export const consolePages: Readonly<Record<ConsolePage, PageFacts>> = pageFacts

export const addressOf = (name: ConsolePage, ...below: string[]) =>
  [consolePath + consolePages[name].path, ...below.map(encodeURIComponent)].join('/')

const note = 'This console shows what the emulator holds in memory. All names and data are made up.'

/** What a page of the console says about itself. */
export interface ConsoleFrame {
  /** @default 200 */
  readonly status?: number
  /** The main heading. Defaults to the name of the page. */
  readonly title?: string
  /** What stands next to the main heading. @default none */
  readonly nextToTitle?: Markup
  /** One or two sentences below it. @default none */
  readonly about?: Markup | string
}

/** Renders a page of the console. */
export function consolePage(
  state: ServiceState,
  name: ConsolePage,
  content: Markup,
  { status = 200, title = consolePages[name].name, nextToTitle, about }: ConsoleFrame = {},
): Promise<Response> {
  const links = Object.keys(consolePages) as ConsolePage[]
  const nav = html`<p class="brand">${icon('shield')} Emulator</p>
<div class="links" data-live="nav">${links.map((one) => pageLink(state, one, one === name))}</div>
${status === 200 ? html`<p id="live" class="quiet" role="status">Reload the page to see changes.</p>` : ''}`
  return page(
    status,
    { title: `${title} - console`, note, nav },
    html`<div class="heading"><h1>${title}</h1>${nextToTitle ?? ''}${about === undefined ? '' : html`<p class="quiet">${about}</p>`}</div>
${content}`,
  )
}

function pageLink(state: ServiceState, name: ConsolePage, isCurrent: boolean): Markup {
  const { name: label, icon: drawing, count } = consolePages[name]
  const total = count?.(state) ?? 0
  return html`<a href="${addressOf(name)}"${isCurrent ? html` aria-current="page"` : ''}>${icon(drawing)} <span>${label}</span>${total === 0 ? '' : html`<span class="count">${total}</span>`}</a>
`
}

/** A part of a page that changes while someone looks at it. @param name unique in the page */
export const live = (name: string, content: Markup): Markup =>
  html`<div class="stack" data-live="${name}">${content}</div>`
