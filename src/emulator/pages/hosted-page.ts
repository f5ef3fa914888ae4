import { html } from 'hono/html'
import { returnParameters } from '../../contract/verification/sessions.ts'
import { EmulatorError } from '../emulator-error.ts'
import type { EmulatorRequest } from '../server/request.ts'
import type { ServiceState } from '../state/service-state.ts'
import { type HostedSession, isAwaited } from '../state/sessions/hosted-session.ts'
import { endOf, isResult, type Picks, worksThrough } from '../state/sessions/session-selections.ts'
import type { Sessions } from '../state/sessions/sessions.ts'
import { hostedAddress } from './addresses.ts'
import { handleForm } from './form.ts'
import { overview } from './hosted-overview.ts'
import { nextStepQuery, readStep, titleOf, walk } from './hosted-walk.ts'
import { page, pageHeaders } from './page.ts'

const note = 'You choose how the verification ends.'

/** The page that a person is sent to. Opening it starts the session. */
export const showHostedPage = (
  { sessions }: ServiceState,
  path: string,
  arrival: EmulatorRequest,
): Promise<Response> =>
  whileAwaited(sessions, path, (session) => {
    if (arrival.method === 'GET') sessions.start(session.id, {})
    return shown(session, arrival)
  })

/** What the person chose at it. */
export const handleHostedForm = (
  { sessions }: ServiceState,
  path: string,
  arrival: EmulatorRequest,
): Promise<Response> =>
  handleForm(arrival, (form) =>
    whileAwaited(sessions, path, (session) => {
      const picks = readPicks(session, form)
      if (picks === undefined) return shown(session, arrival, 'Choose one of the outcomes that are offered.')
      return carryOut(sessions, session, { choice: form.get('choice'), picks, arrival })
    }),
  )

async function whileAwaited(
  sessions: Sessions,
  path: string,
  act: (session: HostedSession) => Promise<Response>,
): Promise<Response> {
  const session = sessions.findByPath(path)
  if (session === undefined) return unknown()
  try {
    if (isAwaited(session)) return await act(session)
  } catch (error) {
    // Time may run out in the midst of a request.
    if (!(error instanceof EmulatorError) || isAwaited(session)) throw error
  }
  return closed(session)
}

async function carryOut(
  sessions: Sessions,
  session: HostedSession,
  { choice, picks, arrival }: { choice: string | null; picks: Picks; arrival: EmulatorRequest },
): Promise<Response> {
  const { id } = session
  const all = (result: 'passed' | 'failed'): Picks =>
    Object.fromEntries(worksThrough(session).map((type) => [type, result]))
  // The webhook goes out in the background: nobody waits for it at the page.
  switch (choice) {
    case 'approve':
      void sessions.complete(id, 'APPROVED', all('passed'))
      return goOn(session, arrival)
    case 'decline':
      void sessions.complete(id, 'DECLINED', all('failed'))
      return goOn(session, arrival)
    case 'leave':
      void sessions.complete(id, 'ABANDONED', {})
      return goOn(session, arrival)
    case 'answer': {
      const step = readStep(session, arrival.url.searchParams)
      if (step?.type === undefined) break
      if (picks[step.type] === undefined) return shown(session, arrival, 'Choose one of the answers.')
      sessions.pick(id, picks)
      return sendTo(nextStepQuery(step))
    }
    case 'finish':
      sessions.pick(id, picks)
      if (endOf(session) === undefined)
        return shown(session, arrival, 'Not every check is done: choose an outcome for each, or leave.')
      void sessions.finish(id)
      return goOn(session, arrival)
  }
  return shown(session, arrival, 'Choose one of the buttons.')
}

/** The radio buttons of a check bear its name. @returns `undefined` where a value is none that is offered */
function readPicks(session: HostedSession, form: URLSearchParams): Picks | undefined {
  const picks = worksThrough(session).flatMap((type): [string, string | undefined][] => {
    const value = form.get(type)
    return value === null ? [] : [[type, value === '' ? undefined : value]]
  })
  return picks.every(([, value]) => value === undefined || isResult(value))
    ? (Object.fromEntries(picks) as Picks)
    : undefined
}

/** The page that the address names. @param problem why it is shown again */
function shown(session: HostedSession, { url }: EmulatorRequest, problem?: string): Promise<Response> {
  const step = readStep(session, url.searchParams)
  const title = step === undefined ? `Verification: ${session.workflow.name}` : titleOf(step, session)
  return page(
    problem === undefined ? 200 : 400,
    { title: problem === undefined ? title : `Again: ${title}`, note },
    step === undefined ? overview(session, problem) : walk(step, session, problem),
  )
}

const goOn = (session: HostedSession, { baseUrl }: EmulatorRequest) =>
  sendTo(
    session.redirectUrl === undefined
      ? hostedAddress(session, baseUrl)
      : returnAddress(session.redirectUrl, session),
  )

const sendTo = (location: string) =>
  new Response(null, { status: 303, headers: { ...pageHeaders, location } })

/** `redirect_url` with the id and the status behind whatever query it has (contract, section 2.2). */
function returnAddress(redirectUrl: string, { id, status }: HostedSession): string {
  const url = new URL(redirectUrl)
  const added = `${returnParameters.sessionId}=${id}&${returnParameters.status}=${status}`
  // As text: URLSearchParams would spell the query that is there in its own way.
  url.search = url.search === '' ? added : `${url.search.slice(1)}&${added}`
  return url.href
}

const unknown = () =>
  page(
    404,
    { title: 'No such verification', note },
    html`<h1>No such verification</h1><p>The address belongs to no session.</p>`,
  )

/** 410 or 409, as the service answers for sessions that ran out or ended (contract, section 3.1). */
const closed = ({ status }: HostedSession) =>
  page(
    status === 'EXPIRED' ? 410 : 409,
    { title: `Verification ended as ${status}`, note },
    html`<h1>This verification is closed</h1><p>It ended as ${status}. You may close this window.</p>`,
  )
