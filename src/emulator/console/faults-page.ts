import { html } from 'hono/html'
import type { Endpoint } from '../../contract/endpoint.ts'
import { errorCatalog } from '../../contract/errors/catalog.ts'
import type { Control } from '../controls/control.ts'
import { describeMatch, readMatch } from '../model/faults/fault-match.ts'
import type { Fault, ScriptedFault } from '../model/faults/faults.ts'
import { malformations } from '../model/faults/malformed-response.ts'
import { maskText } from '../model/secrets.ts'
import type { ServiceState } from '../model/service-state.ts'
import { card, emptyState, type Markup } from '../pages/design/components.ts'
import { readForm, selectField, timesField, timesLeft } from './fields.ts'
import { addressOf, consolePage, live } from './layout.ts'

type Effect = Pick<Fault, 'code' | 'status' | 'malformed' | 'reset' | 'delayMs'>

const errors: readonly (readonly [string, Effect])[] = Object.entries(errorCatalog)
  .flatMap(([code, { statuses }]) =>
    statuses.map((status) => [`${status} ${code}`, { code: { unlisted: code }, status }] as const),
  )
  .sort(([a], [b]) => (a < b ? -1 : 1))

const invalidResponses: readonly (readonly [string, Effect])[] = [
  ['connection reset', { reset: true }],
  ...malformations.map((malformed) => [`malformed: ${malformed}`, { malformed }] as const),
  ['502 from a proxy', { malformed: 'not_json', status: 502 }],
]

const delays: readonly (readonly [string, Effect])[] = [1, 10, 60].map((seconds) => [
  `delay of ${seconds} s`,
  { delayMs: seconds * 1000 },
])

const effects: ReadonlyMap<string, Effect> = new Map([...invalidResponses, ...delays, ...errors])

const namesOf = (group: readonly (readonly [string, Effect])[]) => group.map(([name]) => name)

const timings = {
  before: 'before the operation runs',
  after: 'after the operation ran and was charged',
} as const

export function faultsPage(state: ServiceState, served: readonly Endpoint[]): Promise<Response> {
  const operations = served.map(({ operation }) => operation)
  return consolePage(
    state,
    'faults',
    html`<div class="columns">${live('faults', activeFaults(state))}
${card(
  'Add a fault',
  html`<form method="post" action="${addressOf('faults')}">
${selectField('match', 'Operation', [['', 'any operation'], ...operations])}
${selectField('effect', 'Effect', [], {
  'No valid response': namesOf(invalidResponses),
  Delay: namesOf(delays),
  'Error from the catalog': namesOf(errors),
})}
${selectField('when', 'When', Object.entries(timings))}
${timesField}
<button>Add fault</button>
</form>`,
)}</div>`,
    {
      about:
        'A fault changes what the next requests of your app get: an error, a delay, or no response. Faults of webhooks are on the page Webhooks.',
    },
  )
}

function activeFaults({ faults: { pending } }: ServiceState): Markup {
  if (pending.length === 0)
    return emptyState('zap', 'No fault is active', 'All requests get the response of the service.')
  return card(
    'Active faults',
    html`<ul class="list">${pending.map(({ fault, left }) => html`<li>${describe(fault)}, ${timesLeft(left)}</li>`)}</ul>
<form method="post" action="${addressOf('faults', 'clear')}"><button class="outline">Remove all</button></form>`,
  )
}

/** Describes a fault, including faults that code added with options that this page does not offer. */
function describe({ match, when = 'before', delayMs, status, code, malformed, reset }: ScriptedFault): string {
  const target = describeMatch(readMatch(match)) || 'any operation'
  const effect = [
    delayMs === undefined ? undefined : `delay of ${delayMs} ms`,
    reset === true ? 'connection reset' : undefined,
    malformed === undefined ? undefined : `malformed: ${malformed === true ? 'not_json' : malformed}`,
    status === undefined ? undefined : String(status),
    code,
  ]
  return maskText(`${target}: ${effect.filter(Boolean).join(' ')}, ${timings[when]}`)
}

/** Returns the fields of a form that adds a fault. */
export function readFault(control: Control, form: URLSearchParams): object {
  const fields = [...form].filter(([name]) => name !== 'effect')
  return { ...readForm(control, fields), ...effects.get(form.get('effect') ?? '') }
}
