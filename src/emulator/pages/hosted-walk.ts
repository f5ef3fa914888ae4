import { html } from 'hono/html'
import type { CheckType } from '../../contract/verification/check-data.ts'
import {
  checkTypesOf,
  type HostedSession,
  resultOf,
  statusFromChecks,
} from '../state/sessions/hosted-session.ts'
import { badge } from './badge.ts'
import { checkLabels, checkResults } from './check-labels.ts'
import { errorMessage, radioButton } from './form-parts.ts'
import { leaveForm } from './hosted-overview.ts'
import { type Markup, scrollable } from './page.ts'
import { pictures } from './pictures.ts'

/** A step through the checks: one check, or the summary, which has no type. */
export type Step =
  | { readonly type: CheckType; readonly number: number; readonly of: number }
  | { readonly type: undefined }

/** The query value of the last step. */
const summaryStep = 'summary'

/** Returns the step that the query names, or `undefined` if the session does not have it. */
export function readStep(session: HostedSession, query: URLSearchParams): Step | undefined {
  const types = checkTypesOf(session)
  const named = query.get('step')
  if (named === summaryStep && types.length > 0) return { type: undefined }
  const number = types.findIndex((_, i) => String(i + 1) === named) + 1
  const type = types[number - 1]
  return type && { type, number, of: types.length }
}

/** Returns the query of the step after this one. */
export const nextStepQuery = ({ number, of }: { readonly number: number; readonly of: number }) =>
  `?step=${number < of ? number + 1 : summaryStep}`

export const stepTitle = (step: Step, { workflow }: HostedSession): string =>
  step.type === undefined
    ? `Summary: ${workflow.name}`
    : `${checkLabels[step.type].name} (check ${step.number} of ${step.of}): ${workflow.name}`

export const stepContent = (step: Step, session: HostedSession, problem?: string): Markup =>
  step.type === undefined ? summary(session, problem) : checkStep(step, session, problem)

function checkStep(
  { type, number, of }: Exclude<Step, { type: undefined }>,
  session: HostedSession,
  problem: string | undefined,
): Markup {
  const { name, question, options } = checkLabels[type]
  const previous = number === 1 ? '?' : `?step=${number - 1}`
  const buttons = checkResults.map((value) =>
    radioButton({
      name: type,
      value,
      label: options[value],
      isSelected: resultOf(session, type) === value,
      isRequired: true,
    }),
  )
  return html`${errorMessage(problem)}<p class="quiet">Check ${number} of ${of}: ${session.workflow.name}</p>
<h1>${name}</h1>
<figure>${pictures[type]}<figcaption>This is a drawing. No photo is taken.</figcaption></figure>
<form method="post">
<fieldset><legend>${question}</legend>
${buttons}</fieldset>
<div class="row"><button class="main" name="choice" value="continue">Continue</button> <a href="${previous}">Back</a></div>
</form>
${selectionsSoFar(session)}
${leaveForm}`
}

function selectionsSoFar(session: HostedSession): Markup {
  const selections = checkTypesOf(session).flatMap((type) => {
    const result = resultOf(session, type)
    return result === undefined
      ? []
      : [
          html`<dt>${checkLabels[type].name}</dt><dd>${checkLabels[type].options[result]}</dd>
`,
        ]
  })
  return selections.length === 0
    ? html``
    : html`<h2>Your choices so far</h2>
<dl>
${selections}</dl>`
}

function summary(session: HostedSession, problem: string | undefined): Markup {
  const status = statusFromChecks(session)
  const rows = checkTypesOf(session).map((type, i) => {
    const { name, options } = checkLabels[type]
    const result = resultOf(session, type)
    return html`<tr><th scope="row">${name}</th><td>${result === undefined ? 'Not done' : options[result]}</td>
<td>${badge(result ?? 'pending')}</td><td><a href="?step=${i + 1}">Change<span class="out-of-sight">: ${name}</span></a></td></tr>
`
  })
  return html`${errorMessage(problem)}<p class="quiet">Last step</p>
<h1>Summary</h1>
${scrollable(
  'Your checks',
  html`<table>
<thead><tr><th scope="col">Check</th><th scope="col">Your choice</th><th scope="col">Result</th><th scope="col">Change</th></tr></thead>
<tbody>
${rows}</tbody>
</table>`,
)}
${
  status === undefined
    ? html`<p>Some checks have no result yet. Choose a result for each check, then submit.</p>`
    : html`<p>The verification will end with status ${badge(status)}.</p>
<form method="post"><button class="main" name="choice" value="finish">Submit results</button></form>`
}
${leaveForm}`
}
