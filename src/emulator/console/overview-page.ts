import { html } from 'hono/html'
import type { ServiceState } from '../state/service-state.ts'
import { formatTime } from './format.ts'
import { addressOf, type ConsolePage, consolePage, consolePages, factList } from './layout.ts'

/** The steps by which the clock can be moved, in milliseconds. */
export const clockSteps: ReadonlyMap<string, number> = new Map([
  ['1 minute', 60_000],
  ['10 minutes', 600_000],
  ['1 hour', 3_600_000],
  ['1 day', 86_400_000],
])

export function overviewPage(state: ServiceState): Promise<Response> {
  const { sessions, checkLog, deliveries, roster, signIns, wallet, requestLog, faults } = state
  const counts: readonly (readonly [ConsolePage, number])[] = [
    ['sessions', sessions.all().length],
    ['checks', checkLog.entries.length],
    ['webhooks', deliveries.records.length],
    ['members', roster.all().length],
    ['tokens', signIns.issued().length],
    ['ledger', wallet.ledger.length],
    ['requests', requestLog.requests.length],
    ['faults', faults.pending.length + deliveries.faults.pending.length],
  ]
  return consolePage(
    'overview',
    html`${factList(
      counts.map(([name, count]) => [
        consolePages[name][1],
        html`<a href="${addressOf(name)}">${count}<span class="out-of-sight"> ${consolePages[name][1]}</span></a>`,
      ]),
    )}
<h2>Clock</h2>
<p>The time in the emulator is ${formatTime(state.clock.now())} (UTC). Moving the clock expires sessions and retries failed webhooks that are due.</p>
<form method="post" action="${addressOf('overview', 'clock')}">
<fieldset><legend>Move the clock forward</legend>
<p class="row">${[...clockSteps.keys()].map((step) => html`<button name="by" value="${step}">${step}</button> `)}</p>
</fieldset>
</form>
<h2>Start over</h2>
<form method="post" action="${addressOf('overview', 'reset')}">
<p>Restores the initial state. Only the signing keys are kept.</p>
<button>Reset the emulator</button>
</form>`,
  )
}
