import { html } from 'hono/html'
import type { CheckType } from '../../contract/verification/check-data.ts'
import { returnParameters } from '../../contract/verification/sessions.ts'
import { EmulatorError } from '../../errors/sdk-error.ts'
import { appendQuery, hostedAddress } from '../model/addresses.ts'
import type { EmulatorRequest } from '../model/request.ts'
import type { ServiceState } from '../model/service-state.ts'
import {
  checkTypesOf,
  type HostedSession,
  isAwaitingUser,
  isCheckType,
  isResult,
  resultOf,
  type SelectedResult,
  type Selections,
  statusFromChecks,
} from '../model/sessions/hosted-session.ts'
import type { HostedSessions } from '../model/sessions/sessions.ts'
import { badge, errorMessage, factList, type Markup, radioButton, toneOf } from './design/components.ts'
import { handleForm } from './form.ts'
import { page, redirect, sheetHead } from './page.ts'

const note = 'You choose the result.'

/** The names of the checks in words. */
export const checkNames: { readonly [Type in CheckType]: string } = {
  id_verification: 'Identity document',
  liveness: 'Live selfie',
  face_match: 'Face comparison',
  age: 'Age',
  credential: 'Professional license',
  location: 'Location',
}

/** Renders the hosted page. A GET starts the session. A HEAD does not, because no person has seen the page then. */
export const showHostedPage = ({ sessions }: ServiceState, path: string, request: EmulatorRequest): Promise<Response> =>
  withOpenSession(sessions, path, (session) => {
    if (request.method === 'GET') sessions.start(session.id, {})
    return openPage(session)
  })

/** Handles the forms of the hosted page. */
export const handleHostedForm = (
  { sessions }: ServiceState,
  path: string,
  request: EmulatorRequest,
): Promise<Response> =>
  handleForm(request, (form) =>
    withOpenSession(sessions, path, (session) => {
      const selections = readSelections(session, form)
      if (selections === undefined)
        return openPage(session, { status: 400, problem: 'Choose one of the listed results.' })
      return applyChoice(sessions, session, { choice: form.get('choice'), selections, request })
    }),
  )

async function withOpenSession(
  sessions: HostedSessions,
  path: string,
  act: (session: HostedSession) => Promise<Response>,
): Promise<Response> {
  const session = sessions.findByPath(path)
  if (session === undefined) return notFoundPage()
  try {
    if (isAwaitingUser(session)) return await act(session)
  } catch (error) {
    // The session may expire while the request is handled.
    if (!(error instanceof EmulatorError) || isAwaitingUser(session)) throw error
  }
  return closedPage(session)
}

async function applyChoice(
  sessions: HostedSessions,
  session: HostedSession,
  { choice, selections, request }: { choice: string | null; selections: Selections; request: EmulatorRequest },
): Promise<Response> {
  const { id } = session
  const all = (result: 'passed' | 'failed'): Selections =>
    Object.fromEntries(checkTypesOf(session).map((type) => [type, result]))
  // The webhook is delivered in the background, so that the person does not wait for it.
  switch (choice) {
    case 'approve':
      void sessions.complete(id, 'APPROVED', all('passed'))
      return redirectAfterEnd(session, request)
    case 'decline':
      void sessions.complete(id, 'DECLINED', all('failed'))
      return redirectAfterEnd(session, request)
    case 'leave':
      void sessions.complete(id, 'ABANDONED', {})
      return redirectAfterEnd(session, request)
    case 'finish':
      sessions.select(id, selections)
      if (statusFromChecks(session) === undefined) return openPage(session, unfinished(session))
      void sessions.finish(id)
      return redirectAfterEnd(session, request)
  }
  return openPage(session, { status: 400, problem: 'Press one of the buttons.' })
}

/** What was wrong with a submitted form. A form that is not finished is not an error of the request. */
interface FormProblem {
  readonly status: 200 | 400
  readonly problem: string
}

function unfinished(session: HostedSession): FormProblem {
  const names = checkTypesOf(session)
    .filter((type) => resultOf(session, type) === undefined)
    .map((type) => checkNames[type])
  return { status: 200, problem: `Some checks have no result yet. Choose one for: ${names.join(', ')}.` }
}

/** Reads the radio buttons of the checks. Returns `undefined` if a value is not one of the options. */
function readSelections(session: HostedSession, form: URLSearchParams): Selections | undefined {
  const selections = checkTypesOf(session).flatMap((type): [string, string | undefined][] => {
    const value = form.get(type)
    return value === null ? [] : [[type, value === '' ? undefined : value]]
  })
  return selections.every(([, value]) => value === undefined || isResult(value))
    ? (Object.fromEntries(selections) as Selections)
    : undefined
}

function openPage(session: HostedSession, form?: FormProblem): Promise<Response> {
  const title = `Verification: ${session.workflow.name}`
  return page(
    form?.status ?? 200,
    { title: form === undefined ? title : `Error: ${title}`, note },
    overview(session, form?.problem),
  )
}

/** Renders the buttons that end a session, and the results of its checks. */
function overview(session: HostedSession, problem?: string): Markup {
  const { workflow, vendorData, redirectUrl } = session
  const types = checkTypesOf(session)
  const unsupported = workflow.features.filter((feature) => !isCheckType(feature))
  const names = workflow.features.map((feature) => (isCheckType(feature) ? checkNames[feature] : feature))
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
<form method="post" class="leave"><button class="ghost" name="choice" value="leave">Leave without finishing</button></form>`
}

const eachCheck = (session: HostedSession, types: readonly CheckType[]) => html`<h2>A result for each check</h2>
<form method="post">
${types.map((type) => resultChoices(type, resultOf(session, type)))}
<button name="choice" value="finish" data-variant="secondary">Submit results</button>
</form>`

const results: readonly (readonly [result: SelectedResult | '', label: string])[] = [
  ['passed', 'Passed'],
  ['failed', 'Failed'],
  ['review', 'Needs review'],
  ['', 'Not done'],
]

/** Renders the radio buttons of a check. Their name is the check's type. */
const resultChoices = (type: CheckType, selected = '') =>
  html`<fieldset><legend>${checkNames[type]}</legend><div class="choices">
${results.map(([value, label]) => radioButton({ name: type, value, label, isSelected: value === selected }))}
</div></fieldset>
`

const redirectAfterEnd = (session: HostedSession, { baseUrl }: EmulatorRequest) =>
  redirect(
    session.redirectUrl === undefined ? hostedAddress(session, baseUrl) : returnAddress(session.redirectUrl, session),
  )

/** Returns `redirect_url` with the id and the status appended to its query (contract, section 2.2). */
const returnAddress = (redirectUrl: string, { id, status }: HostedSession): string =>
  appendQuery(redirectUrl, { [returnParameters.sessionId]: id, [returnParameters.status]: status })

const notFoundPage = () =>
  page(
    404,
    { title: 'Verification not found', note },
    sheetHead('xCircle', 'Verification not found', {
      about: 'No session has this address. Check the link.',
    }),
  )

const closedIcons = {
  success: 'checkCircle',
  danger: 'xCircle',
  warning: 'clock',
  idle: 'clock',
} as const

/** Responds with 410 or 409, the statuses of the service for expired and ended sessions (contract, section 3.1). */
const closedPage = ({ status }: HostedSession) =>
  page(
    status === 'EXPIRED' ? 410 : 409,
    { title: `Verification closed: ${status}`, note },
    sheetHead(closedIcons[toneOf(status)], 'This verification is closed', {
      about: html`It ended with status ${badge(status)}. You can close this window.`,
      tone: toneOf(status),
    }),
  )
