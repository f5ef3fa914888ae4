import { html } from 'hono/html'
import { returnParameters } from '../../contract/verification/sessions.ts'
import { EmulatorError } from '../../errors/sdk-error.ts'
import { hostedAddress } from '../model/addresses.ts'
import type { EmulatorRequest } from '../model/request.ts'
import type { ServiceState } from '../model/service-state.ts'
import {
  checkTypesOf,
  type HostedSession,
  isAwaitingUser,
  isResult,
  resultOf,
  type Selections,
  statusFromChecks,
} from '../model/sessions/hosted-session.ts'
import type { HostedSessions } from '../model/sessions/sessions.ts'
import { appendQuery } from '../service/authorization.ts'
import { checkLabels } from './check-labels.ts'
import { badge, toneOf } from './design/components.ts'
import { handleForm } from './form.ts'
import { overview } from './hosted-overview.ts'
import { nextStepQuery, readStep, stepContent, stepTitle } from './hosted-walk.ts'
import { page, redirect, sheetHead } from './page.ts'

const note = 'You choose the result.'

/** Renders the hosted page. A GET starts the session. A HEAD does not, because no person has seen the page then. */
export const showHostedPage = ({ sessions }: ServiceState, path: string, request: EmulatorRequest): Promise<Response> =>
  withOpenSession(sessions, path, (session) => {
    if (request.method === 'GET') sessions.start(session.id, {})
    return openPage(session, request)
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
        return openPage(session, request, { status: 400, problem: 'Choose one of the listed results.' })
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
    case 'continue': {
      const step = readStep(session, request.url.searchParams)
      if (step?.type === undefined) break
      if (selections[step.type] === undefined)
        return openPage(session, request, { status: 200, problem: 'Choose one of the options.' })
      sessions.select(id, selections)
      return redirect(nextStepQuery(step))
    }
    case 'finish':
      sessions.select(id, selections)
      if (statusFromChecks(session) === undefined) return openPage(session, request, unfinished(session))
      void sessions.finish(id)
      return redirectAfterEnd(session, request)
  }
  return openPage(session, request, { status: 400, problem: 'Press one of the buttons.' })
}

/** What was wrong with a submitted form. A form that is not finished is not an error of the request. */
interface FormProblem {
  readonly status: 200 | 400
  readonly problem: string
}

function unfinished(session: HostedSession): FormProblem {
  const names = checkTypesOf(session)
    .filter((type) => resultOf(session, type) === undefined)
    .map((type) => checkLabels[type].name)
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

/** Renders the step that the URL names, or the overview. */
function openPage(session: HostedSession, { url }: EmulatorRequest, form?: FormProblem): Promise<Response> {
  const step = readStep(session, url.searchParams)
  const title = step === undefined ? `Verification: ${session.workflow.name}` : stepTitle(step, session)
  return page(
    form?.status ?? 200,
    { title: form === undefined ? title : `Error: ${title}`, note },
    step === undefined ? overview(session, form?.problem) : stepContent(step, session, form?.problem),
  )
}

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
