import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import { EmulatorError } from '../../errors/sdk-error.ts'
import type { Control, ControlledEmulator } from '../controls/control.ts'
import {
  checkControls,
  clockControls,
  faultControls,
  sessionControls,
  signInControls,
  stateControls,
  webhookControls,
} from '../controls/table.ts'
import { type EmulatorRequest, readBody, urlOf } from '../model/request.ts'
import type { ServiceState } from '../model/service-state.ts'
import { handleForm } from '../pages/form.ts'
import { redirect } from '../pages/page.ts'
import { checksPage } from './checks-page.ts'
import { faultsPage, readFault } from './faults-page.ts'
import { readForm } from './fields.ts'
import { addressOf, type ConsolePage, consolePage, consolePages, consolePath } from './layout.ts'
import { ledgerPage } from './ledger-page.ts'
import { membersPage } from './members-page.ts'
import { overviewPage } from './overview-page.ts'
import { requestPage, requestsPage } from './requests-page.ts'
import { sessionPage, sessionsPage } from './sessions-page.ts'
import { tokensPage } from './tokens-page.ts'
import { deliveryPage, webhooksPage } from './webhooks-page.ts'

interface Bindings {
  readonly request: EmulatorRequest
  readonly emulator: ControlledEmulator
}

type App = Hono<{ Bindings: Bindings }>

function addPages(app: App): void {
  app.get('/', () => redirect(addressOf('overview')))
  const show = (name: ConsolePage, render: (bindings: Bindings) => Promise<Response>) =>
    app.get(addressOf(name), ({ env }) => render(env))
  show('overview', ({ emulator }) => overviewPage(emulator.state, emulator.baseUrl))
  show('sessions', ({ emulator, request }) => sessionsPage(emulator.state, request.url))
  show('checks', ({ emulator, request }) => checksPage(emulator.state, request.url))
  show('webhooks', ({ emulator, request }) => webhooksPage(emulator.state, request.url))
  show('members', ({ emulator, request }) => membersPage(emulator.state, request))
  show('tokens', ({ emulator, request }) => tokensPage(emulator.state, request.url))
  show('ledger', ({ emulator, request }) => ledgerPage(emulator.state, request.url))
  show('requests', ({ emulator, request }) => requestsPage(emulator.state, request.url))
  show('faults', ({ emulator }) => faultsPage(emulator.state, emulator.served))
  /** Shows one record of a page. */
  const showOne = <Record>(
    name: ConsolePage,
    find: (state: ServiceState, id: string) => Record | undefined,
    render: (state: ServiceState, record: Record, request: EmulatorRequest) => Promise<Response>,
  ) =>
    app.get(`${addressOf(name)}/:id`, ({ env: { emulator, request }, req }) => {
      const record = find(emulator.state, req.param('id'))
      return record === undefined ? notFoundPage(emulator.state, name) : render(emulator.state, record, request)
    })
  showOne('sessions', ({ sessions }, id) => sessions.find(id), sessionPage)
  showOne('webhooks', ({ deliveries }, id) => deliveries.records.find((one) => one.id === id), deliveryPage)
  showOne(
    'requests',
    ({ requestLog }, id) => requestLog.requests.find(({ requestId }) => requestId === id),
    requestPage,
  )
}

function addForms(app: App): void {
  /** Handles a form, then redirects to its page. An `id` in the path is that of the page of a record. */
  const post = (
    name: ConsolePage,
    path: string,
    control: Control,
    read: (control: Control, form: URLSearchParams) => object = readForm,
  ) =>
    app.post(addressOf(name) + path, ({ env: { request, emulator }, req }) =>
      handleForm(request, async (form) => {
        const ids: Readonly<Record<string, string>> = req.param()
        try {
          await control.act(emulator, { ...read(control, form), ...ids })
        } catch (error) {
          if (!(error instanceof EmulatorError)) throw error
          return rejectedPage(emulator.state, name, error.message)
        }
        return redirect(addressOf(name, ...(ids.id === undefined ? [] : [ids.id])))
      }),
    )
  post('overview', '/clock', clockControls.advance)
  post('overview', '/reset', stateControls.reset)
  post('sessions', '/:id/complete', sessionControls.complete)
  post('checks', '/outcomes', checkControls.script)
  post('checks', '/outcomes/clear', checkControls.clear)
  post('webhooks', '/faults', webhookControls.addFault)
  post('webhooks', '/faults/clear', webhookControls.clearFaults)
  post('webhooks', '/test', webhookControls.sendTest)
  post('webhooks', '/:id/resend', webhookControls.resend)
  post('tokens', '/rotate', signInControls.rotateKeys)
  post('faults', '', faultControls.add, readFault)
  post('faults', '/clear', faultControls.clear)
}

/** Creates the console. It is not part of the service, so the request log does not contain its requests. */
export function createConsole(
  at: (baseUrl: string) => ControlledEmulator,
): (request: Request, baseUrl?: string) => Promise<Response> {
  const app: App = new Hono<{ Bindings: Bindings }>()
  addPages(app)
  addForms(app)
  app.notFound(({ env }) => notFoundPage(env.emulator.state, 'overview'))
  app.onError((error) => {
    throw error
  })
  return async (request, baseUrl = urlOf(request).origin) => {
    const { method, headers, signal } = request
    const url = urlOf(request)
    const bytes = await readBody(request)
    const consoleRequest = { requestId: '', method, url, baseUrl, headers, bytes, signal }
    return app.fetch(request, { request: consoleRequest, emulator: at(baseUrl) })
  }
}

/**
 * Returns whether a request is for the console. This includes a browser's GET of `/`, because the service has no page
 * there.
 */
export function isConsole(request: Request): boolean {
  const { method, headers } = request
  const { pathname } = urlOf(request)
  if (pathname === '/') return method === 'GET' && (headers.get('accept') ?? '').includes('text/html')
  return pathname === consolePath || pathname.startsWith(`${consolePath}/`)
}

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
