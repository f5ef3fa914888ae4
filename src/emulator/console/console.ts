import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import type { Endpoint } from '../../contract/endpoint.ts'
import { type CheckType, checkStatuses } from '../../contract/verification/check-data.ts'
import type { WebhookEventType } from '../../contract/webhooks/events.ts'
import { EmulatorError } from '../../errors/sdk-error.ts'
import { handleForm } from '../pages/form.ts'
import { htmlHeaders } from '../pages/page.ts'
import { type EmulatorRequest, readBody } from '../server/request.ts'
import { emulatorHeaders } from '../server/response.ts'
import type { ServiceState } from '../state/service-state.ts'
import type { SessionEnd } from '../state/sessions/sessions.ts'
import type { DeliveryFault } from '../state/webhooks/delivery-faults.ts'
import { sendTestEvent } from '../state/webhooks/test-events.ts'
import { checksPage } from './checks-page.ts'
import { faultsPage, readFault } from './faults-page.ts'
import { readTimes } from './fields.ts'
import { addressOf, type ConsolePage, consolePage, consolePages, consolePath } from './layout.ts'
import { ledgerPage } from './ledger-page.ts'
import { membersPage } from './members-page.ts'
import { clockSteps, overviewPage } from './overview-page.ts'
import { requestPage, requestsPage } from './requests-page.ts'
import { sessionPage, sessionsPage } from './sessions-page.ts'
import { tokensPage } from './tokens-page.ts'
import { deliveryPage, webhooksPage } from './webhooks-page.ts'

/** The parts of the emulator that the console shows and controls. A reset replaces the state. */
interface ConsoleSource {
  state(): ServiceState
  served(): readonly Endpoint[]
  reset(): void
}

/** Applies a submitted form. */
type FormAction = (form: URLSearchParams, ids: Readonly<Record<string, string>>) => unknown

interface Bindings {
  readonly request: EmulatorRequest
}

/** The console of one emulator. */
export interface Console {
  /** @param baseUrl base URL of the service. @default the origin of the request */
  fetch(request: Request, baseUrl?: string): Promise<Response>
}

type App = Hono<{ Bindings: Bindings }>

function addPages(app: App, { state, served }: ConsoleSource): void {
  app.get('/', () => redirect(addressOf('overview')))
  const show = (name: ConsolePage, render: (request: EmulatorRequest) => Promise<Response>) =>
    app.get(addressOf(name), ({ env }) => render(env.request))
  show('overview', ({ baseUrl }) => overviewPage(state(), baseUrl))
  show('sessions', ({ url }) => sessionsPage(state(), url))
  show('checks', ({ url }) => checksPage(state(), url))
  show('webhooks', ({ url }) => webhooksPage(state(), url))
  show('members', (request) => membersPage(state(), request))
  show('tokens', ({ url }) => tokensPage(state(), url))
  show('ledger', ({ url }) => ledgerPage(state(), url))
  show('requests', ({ url }) => requestsPage(state(), url))
  show('faults', () => faultsPage(state(), served()))
  /** Shows one record of a page. */
  const showOne = <Record>(
    name: ConsolePage,
    find: (id: string) => Record | undefined,
    render: (record: Record, request: EmulatorRequest) => Promise<Response>,
  ) =>
    app.get(`${addressOf(name)}/:id`, ({ env, req }) => {
      const record = find(req.param('id'))
      return record === undefined ? notFoundPage(state(), name) : render(record, env.request)
    })
  showOne(
    'sessions',
    (id) => state().sessions.find(id),
    (session, request) => sessionPage(state(), session, request),
  )
  showOne(
    'webhooks',
    (sought) => state().deliveries.records.find(({ id }) => id === sought),
    (delivery) => deliveryPage(state(), delivery),
  )
  showOne(
    'requests',
    (id) => state().requestLog.requests.find(({ requestId }) => requestId === id),
    (request) => requestPage(state(), request),
  )
}

function addForms(app: App, { state, served, reset }: ConsoleSource): void {
  /**
   * Handles a form, then redirects to the page.
   *
   * @param action path of the form, below the page
   * @param next path of another page to redirect to, below the page
   */
  const post = (
    name: ConsolePage,
    action: string,
    act: FormAction,
    next: (ids: Parameters<FormAction>[1]) => string[] = () => [],
  ) =>
    app.post(addressOf(name) + action, ({ env: { request }, req }) =>
      handleForm(request, async (form) => {
        const ids: Readonly<Record<string, string>> = req.param()
        try {
          await act(form, ids)
        } catch (error) {
          if (!(error instanceof EmulatorError)) throw error
          return rejectedPage(state(), name, error.message)
        }
        return redirect(addressOf(name, ...next(ids)))
      }),
    )
  post('overview', '/clock', async (form) => {
    const byMs = clockSteps.get(form.get('by') ?? '')
    if (byMs === undefined)
      throw new EmulatorError({
        message: `Unknown clock step. Choose one of: ${[...clockSteps.keys()].join(', ')}.`,
      })
    state().clock.advance(byMs)
    await state().runDueTasks()
  })
  post('overview', '/reset', reset)
  post(
    'sessions',
    '/:id/complete',
    (form, { id = '' }) => state().sessions.complete(id, form.get('status') as SessionEnd, {}),
    ({ id = '' }) => [id],
  )
  post('checks', '/outcomes', (form) => {
    const status = checkStatuses.find((one) => one === form.get('status'))
    if (status === undefined)
      throw new EmulatorError({
        message: `Unknown result of a check. Choose one of: ${checkStatuses.join(', ')}.`,
      })
    state().outcomes.script(form.get('type') as CheckType, status, readTimes(form))
  })
  post('checks', '/outcomes/clear', () => state().outcomes.clear())
  post('webhooks', '/faults', (form) =>
    state().deliveries.faults.add({
      kind: form.get('kind') as DeliveryFault['kind'],
      type: (form.get('type') || undefined) as WebhookEventType | undefined,
      times: readTimes(form),
    }),
  )
  post('webhooks', '/faults/clear', () => state().deliveries.faults.clear())
  post('webhooks', '/test', (form) => sendTestEvent(state(), form.get('type') as WebhookEventType))
  post(
    'webhooks',
    '/:id/resend',
    (_, { id = '' }) => state().deliveries.resend(id),
    ({ id = '' }) => [id],
  )
  post('tokens', '/rotate', () => state().signingKeys.rotate(true))
  post('faults', '', (form) => {
    const fault = readFault(form)
    if (fault === undefined)
      throw new EmulatorError({ message: 'Unknown effect of a fault. Choose one of the listed effects.' })
    state().faults.add(fault, served())
  })
  post('faults', '/:id/remove', (_, { id }) => state().faults.remove(Number(id)))
}

/** Creates the console. It is not part of the service, so the request log does not contain its requests. */
export function createConsole(source: ConsoleSource): Console {
  const app: App = new Hono<{ Bindings: Bindings }>()
  addPages(app, source)
  addForms(app, source)
  app.notFound(() => notFoundPage(source.state(), 'overview'))
  app.onError((error) => {
    throw error
  })
  return {
    async fetch(request, baseUrl = new URL(request.url).origin) {
      const { method, headers, signal } = request
      const url = new URL(request.url)
      const bytes = await readBody(request)
      const consoleRequest = { requestId: '', method, url, baseUrl, headers, bytes, signal }
      const response = await app.fetch(request, { request: consoleRequest })
      for (const [name, value] of Object.entries(emulatorHeaders)) response.headers.set(name, value)
      return response
    },
  }
}

/**
 * Returns whether a request is for the console. This includes a browser's GET of `/`, because the service has no page
 * there.
 */
export function isConsole({ url, method, headers }: Request): boolean {
  const { pathname } = new URL(url)
  if (pathname === '/') return method === 'GET' && (headers.get('accept') ?? '').includes('text/html')
  return pathname === consolePath || pathname.startsWith(`${consolePath}/`)
}

const redirect = (location: string) =>
  new Response(null, { status: 303, headers: { ...htmlHeaders, location } })

const notFoundPage = (state: ServiceState, name: ConsolePage) =>
  consolePage(
    state,
    name,
    html`<p>This page does not exist, or its record was deleted. Go to <a href="${addressOf(name)}">${consolePages[name].name}</a>.</p>`,
    { status: 404, title: 'Not found' },
  )

const rejectedPage = (state: ServiceState, name: ConsolePage, message: string) =>
  consolePage(
    state,
    name,
    html`<p role="alert" data-variant="danger">${message}</p><p><a href="${addressOf(name)}">Back to ${consolePages[name].name}</a></p>`,
    { status: 400, title: 'That did not work' },
  )
