import { html } from 'hono/html'
import type { ServiceState } from '../state/service-state.ts'
import { formatText, formatTime } from './format.ts'
import { consolePage, recordTable } from './layout.ts'

export function ledgerPage({ wallet }: ServiceState): Promise<Response> {
  const headings = ['When', 'Operation', 'Amount', 'Balance', 'Idempotency key', 'Request']
  return consolePage(
    'ledger',
    html`<p>There are ${wallet.balance} left to spend. The contract shows no price: this one is an option.</p>
${recordTable('Ledger', headings, wallet.ledger, (entry) => [
  formatTime(entry.at),
  entry.operation,
  String(entry.amount),
  String(entry.balance),
  html`<code>${formatText(entry.idempotencyKey)}</code>`,
  html`<code>${entry.requestId}</code>`,
])}`,
  )
}
