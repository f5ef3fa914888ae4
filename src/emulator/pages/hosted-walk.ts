import { html } from 'hono/html'
import type { CheckType } from '../../contract/verification/check-data.ts'
import { checkTypesOf, type HostedSession, resultOf, statusFromChecks } from '../model/sessions/hosted-session.ts'
import { checkLabels, checkResults } from './check-labels.ts'
import { badge, errorMessage, factList, type Markup, radioButton } from './design/components.ts'
import { leaveForm } from './hosted-overview.ts'
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
  return html`<p class="quiet">Check ${number} of ${of}: ${session.workflow.name}</p>
<progress max="${of}" value="${number}" aria-label="Progress"></progress>
<h1>${name}</h1>
<figure>${pictures[type]}<figcaption>This is a drawing. No photo is taken.</figcaption></figure>
${errorMessage(problem)}
<form method="post">
<fieldset><legend>${question}</legend>
${buttons}</fieldset>
<button name="choice" value="continue">Continue</button>
</form>
<p class="row"><a href="${previous}">Back</a></p>
${selectionsSoFar(session)}
${leaveForm}`
}

function selectionsSoFar(session: HostedSession): Markup {
  const selections = checkTypesOf(session).flatMap((type): (readonly [string, string])[] => {
    const result = resultOf(session, type)
    return result === undefined ? [] : [[checkLabels[type].name, checkLabels[type].options[result]]]
  })
  return selections.length === 0
    ? html``
    : html`<h2>Your choices so far</h2>
${factList(selections)}`
}

function summary(session: HostedSession, problem: string | undefined): Markup {
  const status = statusFromChecks(session)
  const checks = checkTypesOf(session).map((type, i) => {
    const { name, options } = checkLabels[type]
    const result = resultOf(session, type)
    return html`<li><div class="spread"><strong>${name}</strong> ${badge(result ?? 'pending')}</div>
<div class="spread"><span class="quiet">${result === undefined ? 'Not done' : options[result]}</span> <a href="?step=${i + 1}">Change<span class="out-of-sight">: ${name}</span></a></div></li>
`
  })
  return html`<p class="quiet">Last step: ${session.workflow.name}</p>
<progress max="1" value="1" aria-label="Progress"></progress>
<h1>Summary</h1>
${errorMessage(problem)}
<ul class="list">${checks}</ul>
${
  status === undefined
    ? html`<p>Some checks have no result yet. Choose a result for each check, then submit.</p>`
    : html`<p>The verification will end with status ${badge(status)}.</p>
<form method="post"><button name="choice" value="finish">Submit results</button></form>`
}
${leaveForm}`
}
