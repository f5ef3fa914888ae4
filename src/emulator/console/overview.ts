import { html } from 'hono/html'
import { environmentFormats, environmentOf } from '../controls/environment.ts'
import { clockControls, stateControls } from '../controls/table.ts'
import { card, codeBlock, type Markup } from '../pages/design/components.ts'
import { icon } from '../pages/design/icons.ts'
import { addressOf, formatTime } from './format.ts'
import { type Frame, formOf, type Kind, live, tableOf, type View } from './kind.ts'
import { kinds } from './kinds.ts'

/** The steps by which the clock can be moved, in milliseconds. */
const clockSteps = { '1 minute': 60_000, '10 minutes': 600_000, '1 hour': 3_600_000, '1 day': 86_400_000 }

/** Number of requests that the overview shows. */
const latestRequests = 8

export function overviewPage(view: View): Frame {
  const { state } = view.emulator
  const requests = kinds.requests as Kind
  const latest = tableOf('Latest requests', requests, requests.records(view.emulator).slice(0, latestRequests), view)
  const steps = Object.entries(clockSteps).map(([title, ms]) =>
    formOf({ control: clockControls.advance, title, preset: { ms }, variant: 'outline' }, addressOf()),
  )
  const reset = formOf({ control: stateControls.reset, title: 'Reset the emulator', variant: 'danger' }, addressOf())
  return {
    title: 'Overview',
    content: html`<div class="stack">${live('statistics', html`<div class="stats">${Object.entries(kinds).map((entry) => statistic(...entry, view))}</div>`)}
<div class="columns"><div class="stack">
${live('requests', html`<section class="card"><div class="spread"><h2>Requests</h2> <a href="${addressOf('requests')}">All requests</a></div>${latest}</section>`)}
${connection(view)}</div>
<div class="stack">${card(
      'Clock',
      html`<div class="stack"><p>The time in the emulator is <span data-live="clock">${formatTime(state.clock.now())}</span> (UTC). Move it forward:</p>
<div class="row">${steps}</div>
<p class="quiet">Sessions expire, and failed webhooks are sent again, when they are due.</p></div>`,
    )}${card('Start over', html`<p class="quiet">Restores the initial state. Only the signing keys are kept.</p>${reset}`)}</div></div></div>`,
  }
}

function statistic(path: string, kind: Kind, { emulator }: View): Markup {
  const rows = kind.records(emulator)
  return html`<a class="card stat" href="${addressOf(path)}"><span>${icon(kind.icon)} ${kind.title}</span><strong>${rows.length}</strong><small>${kind.detail?.(rows, emulator) ?? ''}</small></a>
`
}

/** Renders the variables that an app needs, in the form of each terminal. */
function connection({ emulator: { state, baseUrl } }: View): Markup {
  const { apiKey, org, webhooks } = state.settings
  const variables = Object.entries(environmentOf({ url: baseUrl, apiKey, ...org, webhookSecret: webhooks.secret }))
  const tabs = Object.entries(environmentFormats).map(([terminal, format], i) => {
    const text = variables.map(([variable, value]) => format(variable, value)).join('\n')
    return html`<details name="settings"${i === 0 ? ' open' : ''}><summary>${terminal}</summary>${codeBlock(`for ${terminal}`, text)}</details>
`
  })
  return card('Connect your app', html`<div>${tabs}</div>`)
}
