import { html } from 'hono/html'
import type { ServiceState } from '../model/service-state.ts'
import { formatText, formatTime } from './format.ts'
import { addressOf, consolePage, live } from './layout.ts'
import { recordList } from './record-list.ts'

export function ledgerPage(state: ServiceState, url: URL): Promise<Response> {
  const { wallet } = state
  const charged = wallet.ledger.reduce((total, { amount }) => total + amount, 0)
  return consolePage(
    state,
    'ledger',
    live(
      'ledger',
      html`<div class="stats">
<div class="card stat"><span>Balance</span><strong>${wallet.balance}</strong></div>
<div class="card stat"><span>Charged</span><strong>${charged}</strong><small>${wallet.ledger.length} calls</small></div>
</div>
${recordList([...wallet.ledger].reverse(), {
  label: 'Ledger',
  headings: ['Time', 'Operation and request', 'Idempotency key', 'Amount', 'Balance'],
  url,
  empty: {
    icon: 'creditCard',
    title: 'Nothing was charged yet',
    hint: 'Each billable call of your app adds a line, with its idempotency key.',
  },
  cells: (entry) => [
    formatTime(entry.at),
    html`<code class="id">${entry.operation}</code><br><a href="${addressOf('requests', entry.requestId)}"><code class="id">${entry.requestId}</code></a>`,
    html`<code>${formatText(entry.idempotencyKey)}</code>`,
    String(entry.amount),
    String(entry.balance),
  ],
})}`,
    ),
    {
      about: html`The service does not document a price. The emulator charges its option <code>wallet.pricePerCall</code> for each billable call.`,
    },
  )
}
