import { html } from 'hono/html'
import { type EnvironmentFormat, environmentFormats, environmentOf } from '../controls/environment.ts'
import type { ServiceState } from '../model/service-state.ts'
import { card, codeBlock, emptyState, type Markup } from '../pages/design/components.ts'
import { icon } from '../pages/design/icons.ts'
import { formatTime } from './format.ts'
import { addressOf, type ConsolePage, consolePage, consolePages, live } from './layout.ts'
import { requestTable } from './requests-page.ts'

/** The steps by which the clock can be moved, in milliseconds. */
const clockSteps = { '1 minute': 60_000, '10 minutes': 600_000, '1 hour': 3_600_000, '1 day': 86_400_000 }

/** Number of requests that the overview shows. */
const latestRequests = 8

export const overviewPage = (state: ServiceState, baseUrl: string): Promise<Response> =>
  consolePage(
    state,
    'overview',
    html`<div class="stack">${live('statistics', html`<div class="stats">${statistics(state)}</div>`)}
<div class="columns"><div class="stack">${live('requests', latest(state))}${connection(state, baseUrl)}</div>
<div class="stack">${clock(state)}${card(
      'Start over',
      html`<form method="post" action="${addressOf('overview', 'reset')}">
<p class="quiet">Restores the initial state. Only the signing keys are kept.</p>
<button class="outline" data-variant="danger">Reset the emulator</button>
</form>`,
    )}</div></div></div>`,
  )

/** Renders one card for each other page. */
function statistics(state: ServiceState): Markup[] {
  const { sessions, deliveries, roster, wallet, requestLog } = state
  const count = (records: readonly unknown[], word: string) => (records.length === 0 ? '' : `${records.length} ${word}`)
  const details: { readonly [Page in ConsolePage]?: string } = {
    sessions: count(
      sessions.all().filter(({ status }) => status === 'IN_REVIEW'),
      'in review',
    ),
    webhooks: count(
      deliveries.records.filter(({ delivered }) => !delivered),
      'not delivered',
    ),
    members: count(
      roster.all().filter(({ active }) => active),
      'active',
    ),
    ledger: `balance ${wallet.balance}`,
    requests: count(
      requestLog.requests.filter(({ status = 0 }) => status >= 400),
      'failed',
    ),
  }
  return Object.entries(consolePages).flatMap(([page, { name, icon: drawing, count: countOf }]) =>
    countOf === undefined
      ? []
      : html`<a class="card stat" href="${addressOf(page as ConsolePage)}"><span>${icon(drawing)} ${name}</span><strong>${countOf(state)}</strong><small>${details[page as ConsolePage] ?? ''}</small></a>
`,
  )
}

function latest({ requestLog: { requests } }: ServiceState): Markup {
  if (requests.length === 0)
    return emptyState(
      'activity',
      'No request yet',
      'Set the variables in the terminal of your app, then start it. Its requests appear here.',
    )
  return html`<section class="card"><div class="spread"><h2>Latest requests</h2> <a href="${addressOf('requests')}">All requests</a></div>
${requestTable(requests.slice(-latestRequests).reverse())}</section>`
}

const terminals: Readonly<Record<EnvironmentFormat, string>> = {
  shell: 'Shell',
  powershell: 'PowerShell',
  dotenv: '.env file',
}

/** Renders the variables that an app needs, in the form of each terminal. */
function connection({ settings }: ServiceState, baseUrl: string): Markup {
  const { apiKey, org, webhooks } = settings
  const variables = Object.entries(environmentOf({ url: baseUrl, apiKey, ...org, webhookSecret: webhooks.secret }))
  return card(
    'Connect your app',
    html`<div>${Object.entries(environmentFormats).map(([name, format], i) => {
      const text = variables.map(([variable, value]) => format(variable, value)).join('\n')
      return html`<details name="settings"${i === 0 ? ' open' : ''}><summary>${terminals[name as EnvironmentFormat]}</summary>${codeBlock(`for ${terminals[name as EnvironmentFormat]}`, text)}</details>
`
    })}</div>`,
  )
}

const clock = (state: ServiceState) =>
  card(
    'Clock',
    html`<p>The time in the emulator is <span data-live="clock">${formatTime(state.clock.now())}</span> (UTC).</p>
<form method="post" action="${addressOf('overview', 'clock')}">
<fieldset><legend>Move the clock forward</legend>
<p class="row">${Object.entries(clockSteps).map(([step, ms]) => html`<button class="outline small" name="ms" value="${ms}">${step}</button> `)}</p>
</fieldset>
<p class="quiet">Sessions expire, and failed webhooks are sent again, when they are due.</p>
</form>`,
  )
