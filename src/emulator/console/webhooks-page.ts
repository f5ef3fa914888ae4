import { html } from 'hono/html'
import { webhookEventStatuses } from '../../contract/webhooks/events.ts'
import { eventIdHeader, signatureHeader, timestampHeader } from '../../contract/webhooks/headers.ts'
import { badge } from '../pages/badge.ts'
import type { Markup } from '../pages/page.ts'
import type { ServiceState } from '../state/service-state.ts'
import type { Delivery } from '../state/webhooks/deliveries.ts'
import type { DeliveryAttempt } from '../state/webhooks/delivery-attempt.ts'
import { deliveryFaultKinds } from '../state/webhooks/delivery-faults.ts'
import { selectField, timesField, timesLeft } from './fields.ts'
import { formatText, formatTime } from './format.ts'
import { addressOf, consolePage, factList, recordTable } from './layout.ts'

/** Returns the status of a delivery in words. */
function statusOf({ attempts, delivered, retryAt }: Delivery): string {
  if (attempts.length === 0) return 'held back'
  if (delivered) return 'delivered'
  return retryAt === undefined ? 'failed' : 'retrying'
}

const deliveryLink = ({ id }: Delivery): Markup =>
  html`<a href="${addressOf('webhooks', id)}"><code>${formatText(id)}</code></a>`

export const deliveryTable = (label: string, deliveries: readonly Delivery[]): Markup =>
  recordTable(
    label,
    ['Event', 'Type', 'Destination', 'Attempts', 'Status', 'Next attempt'],
    deliveries,
    (delivery) => [
      deliveryLink(delivery),
      formatText(delivery.event.type),
      formatText(delivery.url),
      String(delivery.attempts.length),
      badge(statusOf(delivery)),
      delivery.retryAt === undefined ? '' : formatTime(delivery.retryAt),
    ],
  )

export function webhooksPage({ deliveries, settings }: ServiceState): Promise<Response> {
  const { pending } = deliveries.faults
  return consolePage(
    'webhooks',
    html`${deliveryTable('Webhook deliveries', deliveries.records)}
<h2>Send a test event</h2>
${
  settings.webhooks.destinations.length === 0
    ? html`<p class="quiet">The option webhooks.destinations has no URL.</p>`
    : html`<p class="quiet">To each destination. No session changes.</p>
<form method="post" action="${addressOf('webhooks', 'test')}">
${selectField('type', 'Event type', Object.keys(webhookEventStatuses))}
<button>Send test event</button>
</form>`
}
<h2>Simulate a delivery fault</h2>
<form method="post" action="${addressOf('webhooks', 'faults')}">
${selectField('kind', 'Effect', deliveryFaultKinds)}
${selectField('type', 'Event type', [['', 'any type'], ...Object.keys(webhookEventStatuses)])}
${timesField}
<button class="main">Add fault</button>
</form>
<h2>Active faults</h2>
${
  pending.length === 0
    ? html`<p class="quiet">None.</p>`
    : html`<ul>${pending.map(({ fault: { kind, type }, left }) => html`<li>${kind}, ${type ?? 'any type'}, ${timesLeft(left)}</li>`)}</ul>
<form method="post" action="${addressOf('webhooks', 'faults', 'clear')}"><button>Remove all</button></form>`
}`,
  )
}

export function deliveryPage(delivery: Delivery): Promise<Response> {
  const { id, event, url, attempts } = delivery
  return consolePage(
    'webhooks',
    html`${factList([
      ['Event', html`<code>${formatText(id)}</code>`],
      ['Type', formatText(event.type)],
      ['Session', sessionOf(event)],
      ['Destination', formatText(url)],
      ['Status', badge(statusOf(delivery))],
      ...(delivery.retryAt === undefined ? [] : [['Next attempt', formatTime(delivery.retryAt)] as const]),
    ])}
<form method="post" action="${addressOf('webhooks', id, 'resend')}">
<button class="main">Resend</button>
</form>
${attempts.map(attemptSection)}`,
    { title: 'Webhook delivery' },
  )
}

/** Renders the session id, as a link unless it is that of a test event, whose session does not exist. */
function sessionOf({ session_id, test }: Delivery['event']): Markup {
  const id = html`<code>${formatText(session_id)}</code>`
  return test === true ? id : html`<a href="${addressOf('sessions', session_id)}">${id}</a>`
}

const attemptSection = (attempt: DeliveryAttempt, i: number) => {
  const { at, request, fault, status, responseBody, error } = attempt
  const signatureHeaders = [timestampHeader, eventIdHeader, signatureHeader]
  const otherHeaders = Object.entries(request.headers).filter(([name]) => !signatureHeaders.includes(name))
  return html`<section aria-label="Attempt ${i + 1}">
<h2>Attempt ${i + 1}</h2>
${factList([
  ['Time', formatTime(at)],
  ...(fault === undefined ? [] : [['Simulated fault', fault] as const]),
  ['Response', responseStatus(attempt)],
])}
<h3>Signature</h3>
${factList(signatureHeaders.map((name) => [name, html`<code>${formatText(request.headers[name])}</code>`]))}
<p class="quiet">HMAC-SHA256 of the timestamp, a dot and the body below. The key is the webhook secret.</p>
<h3>Request</h3>
${factList(otherHeaders.map(([name, value]) => [name, html`<code>${formatText(value)}</code>`]))}
<pre>${request.body}</pre>
<h3>Response</h3>
<pre>${responseBody ?? (status === undefined ? (error ?? 'no response yet') : '(empty body)')}</pre>
</section>`
}

function responseStatus({ status, error }: DeliveryAttempt): Markup | string {
  if (status !== undefined) return String(status)
  return error === undefined ? 'no response yet' : formatText(`no response: ${error}`)
}
