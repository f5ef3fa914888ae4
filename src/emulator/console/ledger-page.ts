import { html } from 'hono/html'
import type { ServiceState } from '../state/service-state.ts'
import { formatText, formatTime } from './format.ts'
import { consolePage, recordTable } from './layout.ts'

export function ledgerPage({ wallet }: ServiceState): Promise<Response> {
  const headings = ['Time', 'Operation', 'Amount', 'Balance', 'Idempotency key', 'Request']
  return consolePage(
    'ledger',
    html`<p>Balance: ${wallet.balance}. The service does not document a price. The emulator charges its <code>wallet.pricePerCall</code> option.</p>
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
