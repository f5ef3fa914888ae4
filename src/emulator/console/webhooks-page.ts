import { html } from 'hono/html'
import { eventIdHeader, signatureHeader, timestampHeader } from '../../contract/webhooks/headers.ts'
import { webhookControls } from '../controls/table.ts'
import { maskBody } from '../model/secrets.ts'
import type { ServiceState } from '../model/service-state.ts'
import type { Delivery } from '../model/webhooks/deliveries.ts'
import type { DeliveryAttempt } from '../model/webhooks/delivery-attempt.ts'
import { badge, card, codeBlock, factList, type Markup } from '../pages/design/components.ts'
import { choicesOf, selectField, timesField, timesLeft } from './fields.ts'
import { formatText, formatTime } from './format.ts'
import { addressOf, consolePage, live } from './layout.ts'
import { recordList } from './record-list.ts'

/** Returns the status of a delivery in words. */
function statusOf({ attempts, delivered, retryAt }: Delivery): string {
  if (attempts.length === 0) return 'held back'
  if (delivered) return 'delivered'
  return retryAt === undefined ? 'failed' : 'retrying'
}

const deliveryLink = ({ id }: Delivery): Markup =>
  html`<a href="${addressOf('webhooks', id)}"><code class="id">${formatText(id)}</code></a>`

function attemptsOf({ attempts: { length }, retryAt }: Delivery): Markup {
  const count = length === 1 ? '1 attempt' : `${length} attempts`
  return retryAt === undefined ? html`${count}` : html`${count}, again at ${formatTime(retryAt, 'time of day')}`
}

/** @param deliveries oldest first */
export const deliveryList = (label: string, deliveries: readonly Delivery[], url: URL): Markup =>
  recordList([...deliveries].reverse(), {
    label,
    headings: ['Event', 'Status', 'Destination'],
    url,
    empty: {
      icon: 'send',
      title: 'No webhook yet',
      hint: html`The emulator sends one when a session with a <code>callback</code> ends, or is in review.`,
    },
    cells: (delivery) => [
      html`${formatText(delivery.event.type)}<br>${deliveryLink(delivery)}`,
      html`${badge(statusOf(delivery))}<br><small class="quiet">${attemptsOf(delivery)}</small>`,
      html`<code>${formatText(delivery.url)}</code>`,
    ],
  })

export function webhooksPage(state: ServiceState, url: URL): Promise<Response> {
  const { deliveries, settings } = state
  return consolePage(
    state,
    'webhooks',
    html`<div class="columns">${live('webhooks', deliveryList('Webhook deliveries', deliveries.records, url))}
<div class="stack">${card(
      'Send a test event',
      (settings.webhooks.destinations ?? []).length === 0
        ? html`<p class="quiet">The option webhooks.destinations has no URL.</p>`
        : html`<form method="post" action="${addressOf('webhooks', 'test')}">
<p class="quiet">To each destination. No session changes.</p>
${selectField('type', 'Event type', choicesOf(webhookControls.sendTest, 'type'))}
<button class="outline">Send test event</button>
</form>`,
    )}${card(
      'Simulate a delivery fault',
      html`<form method="post" action="${addressOf('webhooks', 'faults')}">
${selectField(
  'kind',
  'Effect',
  choicesOf(webhookControls.addFault, 'kind').map((kind) => [kind, `${kind}: ${effects[kind]}`]),
)}
${selectField('type', 'Event type', [['', 'any type'], ...choicesOf(webhookControls.addFault, 'type')])}
${timesField}
<button>Add fault</button>
</form>`,
    )}${live('faults', card('Active faults', activeFaults(state)))}</div></div>`,
    {
      about: 'Each event with its attempts. Open one to see what was signed and sent, and to send it again.',
    },
  )
}

const effects: Readonly<Record<string, string>> = {
  duplicate: 'sent twice',
  late: 'signed too long ago',
  bad_signature: 'signed with a wrong secret',
  out_of_order: 'sent after the next event',
  lost: 'not sent',
}

function activeFaults({ deliveries: { faults } }: ServiceState): Markup {
  if (faults.pending.length === 0) return html`<p class="quiet">None.</p>`
  return html`<ul class="list">${faults.pending.map(({ fault: { kind, type }, left }) => html`<li>${kind}, ${type ?? 'any type'}, ${timesLeft(left)}</li>`)}</ul>
<form method="post" action="${addressOf('webhooks', 'faults', 'clear')}"><button class="outline">Remove all</button></form>`
}

export function deliveryPage(state: ServiceState, delivery: Delivery): Promise<Response> {
  const { id, event, url, attempts } = delivery
  return consolePage(
    state,
    'webhooks',
    html`<div class="columns">${live(
      'attempts',
      html`${attempts.length === 0 ? html`<p class="quiet">It was not sent: a fault holds it back.</p>` : ''}${attempts.map(attemptSection)}`,
    )}
<div class="stack">${live(
      'facts',
      card(
        'Details',
        factList([
          ['Type', formatText(event.type)],
          ['Session', sessionOf(event)],
          ['Destination', formatText(url)],
          ...(delivery.retryAt === undefined ? [] : [['Next attempt', formatTime(delivery.retryAt)] as const]),
        ]),
      ),
    )}</div></div>`,
    {
      title: 'Webhook delivery',
      nextToTitle: html`<span data-live="status">${badge(statusOf(delivery))}</span>
<form method="post" action="${addressOf('webhooks', id, 'resend')}"><button class="small">Resend</button></form>`,
      about: html`<code>${formatText(id)}</code>`,
    },
  )
}

/** Renders the session id, as a link unless it is that of a test event, whose session does not exist. */
const sessionOf = ({ session_id, test }: Delivery['event']): Markup =>
  test === true
    ? html`<code>${formatText(session_id)}</code>`
    : html`<a href="${addressOf('sessions', session_id)}"><code>${session_id}</code></a>`

function attemptSection(attempt: DeliveryAttempt, i: number): Markup {
  const { at, request, fault, status, responseBody, error } = attempt
  const signatureHeaders = [timestampHeader, eventIdHeader, signatureHeader]
  const otherHeaders = Object.entries(request.headers).filter(([name]) => !signatureHeaders.includes(name))
  const header = ([name, value]: readonly [string, string | undefined]) =>
    [html`<code>${name}</code>`, html`<code>${formatText(value)}</code>`] as const
  return html`<section class="card" aria-label="Attempt ${i + 1}">
<div class="spread"><h2>Attempt ${i + 1}</h2> <span>${formatTime(at)} ${status === undefined ? '' : badge(String(status))}</span></div>
${fault === undefined ? '' : html`<p class="quiet">Simulated fault: ${fault}</p>`}
<h3>Signature</h3>
${factList(signatureHeaders.map((name) => header([name, request.headers[name]])))}
<p class="quiet">HMAC-SHA256 of the timestamp, a dot and the body below. The key is the webhook secret.</p>
<h3>Request</h3>
${factList(otherHeaders.map(header))}
${codeBlock('the body of the request', maskBody(request.body))}
<h3>Response</h3>
<pre>${maskBody(responseBody ?? (status === undefined ? (error ?? 'no response yet') : '(empty body)'))}</pre>
</section>`
}
