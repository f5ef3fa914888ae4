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

/** How a delivery stands, in words. */
function standing({ attempts, delivered, retryAt }: Delivery): string {
  if (attempts.length === 0) return 'held back'
  if (delivered) return 'delivered'
  return retryAt === undefined ? 'failed' : 'failed so far'
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
      badge(standing(delivery)),
      delivery.retryAt === undefined ? '' : formatTime(delivery.retryAt),
    ],
  )

export function webhooksPage({ deliveries }: ServiceState): Promise<Response> {
  const { pending: waiting } = deliveries.faults
  return consolePage(
    'webhooks',
    html`${deliveryTable('Webhook deliveries', deliveries.records)}
<h2>Make deliveries go wrong</h2>
<form method="post" action="${addressOf('webhooks', 'faults')}">
${selectField('kind', 'What happens', deliveryFaultKinds)}
${selectField('type', 'To events of type', [['', 'any type'], ...Object.keys(webhookEventStatuses)])}
${timesField}
<button class="main">Switch the fault on</button>
</form>
<h2>Faults that wait for an event</h2>
${
  waiting.length === 0
    ? html`<p class="quiet">None.</p>`
    : html`<ul>${waiting.map(({ fault: { kind, type }, left }) => html`<li>${kind}, ${type ?? 'any type'}, ${timesLeft(left)}</li>`)}</ul>
<form method="post" action="${addressOf('webhooks', 'faults', 'clear')}"><button>Switch all of them off</button></form>`
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
      [
        'Session',
        html`<a href="${addressOf('sessions', event.session_id)}"><code>${formatText(event.session_id)}</code></a>`,
      ],
      ['Destination', formatText(url)],
      ['Status', badge(standing(delivery))],
      ...(delivery.retryAt === undefined ? [] : [['Next attempt', formatTime(delivery.retryAt)] as const]),
    ])}
<form method="post" action="${addressOf('webhooks', id, 'resend')}">
<button class="main">Send it again</button>
</form>
${attempts.map(shownAttempt)}`,
    { title: 'Webhook delivery' },
  )
}

const shownAttempt = (attempt: DeliveryAttempt, i: number) => {
  const { at, request, fault, status, responseBody, error } = attempt
  const signed = [timestampHeader, eventIdHeader, signatureHeader]
  const others = Object.entries(request.headers).filter(([name]) => !signed.includes(name))
  return html`<section aria-label="Attempt ${i + 1}">
<h2>Attempt ${i + 1}</h2>
${factList([
  ['When', formatTime(at)],
  ...(fault === undefined ? [] : [['Made to go wrong', fault] as const]),
  ['Answer', answerOf(attempt)],
])}
<h3>Signature</h3>
${factList(signed.map((name) => [name, html`<code>${formatText(request.headers[name])}</code>`]))}
<p class="quiet">HMAC-SHA256 over the timestamp, a dot and the body below, keyed with the webhook secret.</p>
<h3>Request</h3>
${factList(others.map(([name, value]) => [name, html`<code>${formatText(value)}</code>`]))}
<pre>${request.body}</pre>
<h3>Response</h3>
<pre>${responseBody ?? (status === undefined ? (error ?? 'none yet') : 'an empty body')}</pre>
</section>`
}

function answerOf({ status, error }: DeliveryAttempt): Markup | string {
  if (status !== undefined) return String(status)
  return error === undefined ? 'none yet' : formatText(`none: ${error}`)
}
