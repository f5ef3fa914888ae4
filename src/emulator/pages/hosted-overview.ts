import { html } from 'hono/html'
import type { CheckType } from '../../contract/verification/check-data.ts'
import { checkTypesOf, type HostedSession, isCheckType, resultOf } from '../state/sessions/hosted-session.ts'
import { checkLabels, checkResults } from './check-labels.ts'
import { errorMessage, radioButton } from './form-parts.ts'
import type { Markup } from './page.ts'

/** The form that abandons the verification. Every page of an open session has it. */
export const leaveForm = html`<h2>Not now?</h2>
<form method="post"><button name="choice" value="leave">Leave without finishing</button></form>`

/** Renders the first page of a session, on which all results can be chosen at once. */
export function overview(session: HostedSession, problem?: string): Markup {
  const { workflow, vendorData, redirectUrl } = session
  const types = checkTypesOf(session)
  const unsupported = workflow.features.filter((feature) => !isCheckType(feature))
  return html`${errorMessage(problem)}<h1>${workflow.name}</h1>
<dl>
<dt>Checks</dt><dd>${workflow.features.join(', ')}</dd>
<dt>Reference</dt><dd>${vendorData ?? 'none'}</dd>
<dt>You return to</dt><dd>${redirectUrl ?? 'this page'}</dd>
</dl>
${unsupported.length === 0 ? '' : html`<p>The emulator does not support these checks, so they stay pending: ${unsupported.join(', ')}.</p>`}
<h2>One result for all checks</h2>
<form method="post" class="row">
<button name="choice" value="approve">Approve</button>
<button name="choice" value="decline">Decline</button>
</form>
${types.length === 0 ? '' : eachCheck(session, types)}
${leaveForm}`
}

const eachCheck = (session: HostedSession, types: readonly CheckType[]) => html`<h2>Step by step</h2>
<p><a href="?step=1">Go through the checks</a> one at a time, with pictures, as a real user does.</p>
<h2>A result for each check</h2>
<form method="post">
${types.map((type) => resultChoices(type, resultOf(session, type)))}
<button class="main" name="choice" value="finish">Submit results</button>
</form>`

/** Renders the radio buttons of a check. Their name is the check's type. */
function resultChoices(type: CheckType, selected: string | undefined): Markup {
  const options: readonly [value: string, label: string][] = [
    ...checkResults.map((result): [string, string] => [result, resultLabels[result]]),
    ['', 'Not done'],
  ]
  return html`<fieldset><legend>${checkLabels[type].name}</legend><div class="row">
${options.map(([value, label]) => radioButton({ name: type, value, label, isSelected: value === (selected ?? '') }))}
</div></fieldset>
`
}

const resultLabels = { passed: 'Passed', failed: 'Failed', review: 'Needs review' } as const
