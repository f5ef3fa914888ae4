import { html } from 'hono/html'
import type { CheckType } from '../../contract/verification/check-data.ts'
import type { HostedSession } from '../state/sessions/hosted-session.ts'
import { isListed, resultOf, worksThrough } from '../state/sessions/session-selections.ts'
import { checkLabels, checkResults } from './check-labels.ts'
import { errorMessage, radioButton } from './form-parts.ts'
import type { Markup } from './page.ts'

/** Ends the visit: the one button that is on every page of it. */
export const leaveForm = html`<h2>Not now?</h2>
<form method="post"><button name="choice" value="leave">Leave without finishing</button></form>`

/** The first page of a visit: everything can be chosen here, or one check after the other. */
export function overview(session: HostedSession, problem?: string): Markup {
  const { workflow, vendorData, redirectUrl } = session
  const types = worksThrough(session)
  const foreign = workflow.features.filter((feature) => !isListed(feature))
  return html`${errorMessage(problem)}<h1>${workflow.name}</h1>
<dl>
<dt>Checks</dt><dd>${workflow.features.join(', ')}</dd>
<dt>Reference</dt><dd>${vendorData ?? 'none'}</dd>
<dt>Afterwards you return to</dt><dd>${redirectUrl ?? 'this page'}</dd>
</dl>
${foreign.length === 0 ? '' : html`<p>Not known here, so they stay pending: ${foreign.join(', ')}.</p>`}
<h2>In a hurry?</h2>
<form method="post" class="row">
<button name="choice" value="approve">Everything passes</button>
<button name="choice" value="decline">Everything fails</button>
</form>
${types.length === 0 ? '' : eachCheck(session, types)}
${leaveForm}`
}

const eachCheck = (
  session: HostedSession,
  types: readonly CheckType[],
) => html`<h2>One check after the other</h2>
<p><a href="?step=1">Walk through the checks</a> as a person does, with pictures.</p>
<h2>An outcome for each check</h2>
<form method="post">
${types.map((type) => resultChoices(type, resultOf(session, type)))}
<button class="main" name="choice" value="finish">Finish</button>
</form>`

/** The radio buttons of a check bear its name. */
function resultChoices(type: CheckType, picked: string | undefined): Markup {
  const options: readonly [value: string, label: string][] = [
    ...checkResults.map((result): [string, string] => [result, labels[result]]),
    ['', 'Not done'],
  ]
  return html`<fieldset><legend>${checkLabels[type].name}</legend><div class="row">
${options.map(([value, label]) => radioButton({ name: type, value, label, isPicked: value === (picked ?? '') }))}
</div></fieldset>
`
}

const labels = { passed: 'Passed', failed: 'Failed', review: 'Needs review' } as const
