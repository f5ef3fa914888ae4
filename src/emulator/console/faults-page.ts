import { html } from 'hono/html'
import type { Endpoint } from '../../contract/endpoint.ts'
import { errorCatalog } from '../../contract/errors/catalog.ts'
import type { Fault } from '../state/faults/faults.ts'
import { malformations } from '../state/faults/malformed-response.ts'
import type { ServiceState } from '../state/service-state.ts'
import { readTimes, selectField, timesField, timesLeft } from './fields.ts'
import { addressOf, consolePage } from './layout.ts'

type Effect = Pick<Fault, 'code' | 'status' | 'malformed' | 'reset' | 'delayMs'>

const errors: readonly (readonly [string, Effect])[] = Object.entries(errorCatalog)
  .flatMap(([code, { statuses }]) =>
    statuses.map((status) => [`${status} ${code}`, { code, status }] as const),
  )
  .sort(([a], [b]) => (a < b ? -1 : 1))

const noAnswers: readonly (readonly [string, Effect])[] = [
  ['connection reset', { reset: true }],
  ...malformations.map((malformed) => [`malformed: ${malformed}`, { malformed }] as const),
  ['502 from a proxy', { malformed: 'not_json', status: 502 }],
]

const delays: readonly (readonly [string, Effect])[] = [1, 10, 60].map((seconds) => [
  `answer ${seconds} s late`,
  { delayMs: seconds * 1000 },
])

const effects: ReadonlyMap<string, Effect> = new Map([...noAnswers, ...delays, ...errors])

const names = (group: readonly (readonly [string, Effect])[]) => group.map(([name]) => name)

const moments = { before: 'before anything is done', after: 'after the work is done and charged' } as const

export function faultsPage({ faults }: ServiceState, served: readonly Endpoint[]): Promise<Response> {
  const operations = served.map(({ operation }) => operation)
  return consolePage(
    'faults',
    html`<form method="post" action="${addressOf('faults')}">
${selectField('match', 'Requests of', [['', 'every operation'], ...operations])}
${selectField('effect', 'What happens', [], {
  'No proper answer': names(noAnswers),
  Slowness: names(delays),
  'An error of the catalogue': names(errors),
})}
${selectField('when', 'When', Object.entries(moments))}
${timesField}
<button class="main">Switch the fault on</button>
</form>
<h2>Faults that are on</h2>
${
  faults.pending.length === 0
    ? html`<p class="quiet">None.</p>`
    : html`<ul>${faults.pending.map(
        ({
          id,
          fault,
          left,
        }) => html`<li><form class="row" method="post" action="${addressOf('faults', String(id), 'remove')}">
<span>${describe(fault)}, ${timesLeft(left)}</span>
<button>Switch off<span class="out-of-sight"> ${describe(fault)}</span></button>
</form></li>
`,
      )}</ul>`
}`,
  )
}

/** A fault in words, also one that a program added. */
function describe({ match, when = 'before', delayMs, status, code, malformed, reset }: Fault): string {
  const where =
    match === undefined ? 'every operation' : typeof match === 'string' ? match : JSON.stringify(match)
  const what = [
    delayMs === undefined ? undefined : `${delayMs} ms late`,
    reset === true ? 'connection reset' : undefined,
    malformed === undefined ? undefined : `malformed: ${malformed === true ? 'not_json' : malformed}`,
    status === undefined ? undefined : String(status),
    code,
  ]
  return `${where}: ${what.filter(Boolean).join(' ')}, ${moments[when]}`
}

/** The fault that a form describes; `undefined` where it names no effect. */
export function readFault(form: URLSearchParams): Fault | undefined {
  const effect = effects.get(form.get('effect') ?? '')
  if (effect === undefined) return undefined
  return {
    ...effect,
    match: form.get('match') || undefined,
    when: form.get('when') === 'after' ? 'after' : 'before',
    times: readTimes(form),
  }
}
