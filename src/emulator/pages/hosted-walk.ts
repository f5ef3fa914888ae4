import { html } from 'hono/html'
import type { CheckType } from '../../contract/verification/check-data.ts'
import type { HostedSession } from '../state/sessions/hosted-session.ts'
import { endOf, resultOf, worksThrough } from '../state/sessions/session-selections.ts'
import { badge } from './badge.ts'
import { checkLabels, checkResults } from './check-labels.ts'
import { errorMessage, radioButton } from './form-parts.ts'
import { leaveForm } from './hosted-overview.ts'
import { type Markup, scrollable } from './page.ts'
import { pictures } from './pictures.ts'

/** Where a person is in the walk: before one check, or at its end. */
export type Step =
  | { readonly type: CheckType; readonly number: number; readonly of: number }
  | { readonly type: undefined }

/** The last step, in the query. */
const lastStep = 'summary'

/** @returns `undefined` for what is no step of this session */
export function readStep(session: HostedSession, query: URLSearchParams): Step | undefined {
  const types = worksThrough(session)
  const named = query.get('step')
  if (named === lastStep && types.length > 0) return { type: undefined }
  const number = types.findIndex((_, i) => String(i + 1) === named) + 1
  const type = types[number - 1]
  return type && { type, number, of: types.length }
}

/** The query of the step that follows. */
export const nextStepQuery = ({ number, of }: { readonly number: number; readonly of: number }) =>
  `?step=${number < of ? number + 1 : lastStep}`

export const titleOf = (step: Step, { workflow }: HostedSession): string =>
  step.type === undefined
    ? `Summary of ${workflow.name}`
    : `${checkLabels[step.type].name}, check ${step.number} of ${step.of} of ${workflow.name}`

export const walk = (step: Step, session: HostedSession, problem?: string): Markup =>
  step.type === undefined ? summary(session, problem) : oneCheck(step, session, problem)

function oneCheck(
  { type, number, of }: Exclude<Step, { type: undefined }>,
  session: HostedSession,
  problem: string | undefined,
): Markup {
  const { name, question, options: shown } = checkLabels[type]
  const before = number === 1 ? '?' : `?step=${number - 1}`
  const options = checkResults.map((value) =>
    radioButton({
      name: type,
      value,
      label: shown[value],
      isPicked: resultOf(session, type) === value,
      isRequired: true,
    }),
  )
  return html`${errorMessage(problem)}<p class="quiet">Check ${number} of ${of} of ${session.workflow.name}</p>
<h1>${name}</h1>
<figure>${pictures[type]}<figcaption>A drawing: nothing is photographed.</figcaption></figure>
<form method="post">
<fieldset><legend>${question}</legend>
${options}</fieldset>
<div class="row"><button class="main" name="choice" value="answer">Continue</button> <a href="${before}">Back</a></div>
</form>
${soFar(session)}
${leaveForm}`
}

function soFar(session: HostedSession): Markup {
  const picked = worksThrough(session).flatMap((type) => {
    const result = resultOf(session, type)
    return result === undefined
      ? []
      : [
          html`<dt>${checkLabels[type].name}</dt><dd>${checkLabels[type].options[result]}</dd>
`,
        ]
  })
  return picked.length === 0
    ? html``
    : html`<h2>So far</h2>
<dl>
${picked}</dl>`
}

function summary(session: HostedSession, problem: string | undefined): Markup {
  const end = endOf(session)
  const rows = worksThrough(session).map((type, i) => {
    const { name, options: shown } = checkLabels[type]
    const result = resultOf(session, type)
    return html`<tr><th scope="row">${name}</th><td>${result === undefined ? 'Not done' : shown[result]}</td>
<td>${badge(result ?? 'pending')}</td><td><a href="?step=${i + 1}">Change<span class="out-of-sight">: ${name}</span></a></td></tr>
`
  })
  return html`${errorMessage(problem)}<p class="quiet">Before you send</p>
<h1>Summary</h1>
${scrollable(
  'Your checks',
  html`<table>
<thead><tr><th scope="col">Check</th><th scope="col">What you showed</th><th scope="col">Outcome</th><th scope="col">Change</th></tr></thead>
<tbody>
${rows}</tbody>
</table>`,
)}
${
  end === undefined
    ? html`<p>Not every check is done: go back to those, then you can send.</p>`
    : html`<p>The verification will end as ${badge(end)}.</p>
<form method="post"><button class="main" name="choice" value="finish">Send</button></form>`
}
${leaveForm}`
}
