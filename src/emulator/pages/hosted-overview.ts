import { html } from 'hono/html'
import type { CheckType } from '../../contract/verification/check-data.ts'
import { checkTypesOf, type HostedSession, isCheckType, resultOf } from '../model/sessions/hosted-session.ts'
import { checkLabels, checkResults } from './check-labels.ts'
import { errorMessage, factList, type Markup, radioButton } from './design/components.ts'
import { sheetHead } from './page.ts'

/** The form that abandons the verification. Every page of an open session has it. */
export const leaveForm = html`<form method="post" class="leave"><button class="ghost" name="choice" value="leave">Leave without finishing</button></form>`

/** Renders the first page of a session, on which all results can be chosen at once. */
export function overview(session: HostedSession, problem?: string): Markup {
  const { workflow, vendorData, redirectUrl } = session
  const types = checkTypesOf(session)
  const unsupported = workflow.features.filter((feature) => !isCheckType(feature))
  const names = workflow.features.map((feature) => (isCheckType(feature) ? checkLabels[feature].name : feature))
  return html`${sheetHead('shield', workflow.name, { about: 'Choose how this verification ends.' })}
${errorMessage(problem)}
<form method="post" class="pair">
<button name="choice" value="approve">Approve</button>
<button name="choice" value="decline" class="outline" data-variant="danger">Decline</button>
</form>
${unsupported.length === 0 ? '' : html`<p>The emulator does not support these checks, so they stay pending: ${unsupported.join(', ')}.</p>`}
${types.length === 0 ? '' : eachCheck(session, types)}
<h2>About this verification</h2>
${factList([
  ['Checks', names.join(', ')],
  ['Reference', vendorData ?? 'none'],
  ['You return to', redirectUrl ?? 'this page'],
])}
${leaveForm}`
}

const eachCheck = (session: HostedSession, types: readonly CheckType[]) => html`<h2>Step by step</h2>
<a class="next" href="?step=1"><span>Go through the checks<small class="quiet">One at a time, with pictures, as a real user does.</small></span><span aria-hidden="true">→</span></a>
<h2>A result for each check</h2>
<form method="post">
${types.map((type) => resultChoices(type, resultOf(session, type)))}
<button name="choice" value="finish" data-variant="secondary">Submit results</button>
</form>`

/** Renders the radio buttons of a check. Their name is the check's type. */
function resultChoices(type: CheckType, selected: string | undefined): Markup {
  const options: readonly [value: string, label: string][] = [
    ...checkResults.map((result): [string, string] => [result, resultLabels[result]]),
    ['', 'Not done'],
  ]
  return html`<fieldset><legend>${checkLabels[type].name}</legend><div class="choices">
${options.map(([value, label]) => radioButton({ name: type, value, label, isSelected: value === (selected ?? '') }))}
</div></fieldset>
`
}

const resultLabels = { passed: 'Passed', failed: 'Failed', review: 'Needs review' } as const
