import { Hono } from 'hono'
import { html } from 'hono/html'
import type { Endpoint } from '../../contract/endpoint.ts'
import { type CheckType, checkStatuses } from '../../contract/verification/check-data.ts'
import type { WebhookEventType } from '../../contract/webhooks/events.ts'
import { EmulatorError } from '../emulator-error.ts'
import { handleForm } from '../pages/form.ts'
import { pageHeaders } from '../pages/page.ts'
import { type EmulatorRequest, readBody } from '../server/request.ts'
import { emulatorHeaders } from '../server/response.ts'
import type { RequestFeed } from '../state/request-log.ts'
import type { ServiceState } from '../state/service-state.ts'
import type { DeliveryFault } from '../state/webhooks/delivery-faults.ts'
import { checksPage } from './checks-page.ts'
import { faultsPage, readFault } from './faults-page.ts'
import { readTimes } from './fields.ts'
import { addressOf, type ConsolePage, consolePage, consolePages, consolePath } from './layout.ts'
import { ledgerPage } from './ledger-page.ts'
import { membersPage } from './members-page.ts'
import { clockSteps, overviewPage } from './overview-page.ts'
import { RequestStreams } from './request-stream.ts'
import { requestsPage } from './requests-page.ts'
import { sessionPage, sessionsPage } from './sessions-page.ts'
import { tokensPage } from './tokens-page.ts'
import { deliveryPage, webhooksPage } from './webhooks-page.ts'

/** What the console looks at; a reset replaces the state. */
interface Observed {
  state(): ServiceState
  served(): readonly Endpoint[]
  reset(): void
  readonly feed: RequestFeed
}

/** The person's choices, from a form. */
type Act = (form: URLSearchParams, ids: Readonly<Record<string, string>>) => unknown

interface Passing {
  readonly arrival: EmulatorRequest
}

/** The console of one emulator. */
export interface Console {
  /** @param baseUrl where the service is reached, if the request does not name it */
  fetch(request: Request, baseUrl?: string): Promise<Response>
}

/** It is not part of the service: nothing that happens here is recorded as a request. */
export function createConsole({ state, served, reset, feed }: Observed): Console {
  const app = new Hono<{ Bindings: Passing }>()
  const streams = new RequestStreams(feed)

  app.get('/', () => goTo(addressOf('overview')))
  const show = (name: ConsolePage, render: (baseUrl: string) => Promise<Response>) =>
    app.get(addressOf(name), ({ env }) => render(env.arrival.baseUrl))
  show('overview', () => overviewPage(state()))
  show('sessions', () => sessionsPage(state()))
  show('checks', () => checksPage(state()))
  show('webhooks', () => webhooksPage(state()))
  show('members', (baseUrl) => membersPage(state(), baseUrl))
  show('tokens', () => tokensPage(state()))
  show('ledger', () => ledgerPage(state()))
  show('requests', () => requestsPage(state()))
  show('faults', () => faultsPage(state(), served()))
  app.get(`${addressOf('requests')}/stream`, ({ req }) => streams.open(req.raw.signal))
  app.get(`${addressOf('sessions')}/:id`, ({ env, req }) => {
    const session = state().sessions.find(req.param('id'))
    return session === undefined ? nothing('sessions') : sessionPage(state(), session, env.arrival.baseUrl)
  })
  app.get(`${addressOf('webhooks')}/:id`, ({ req }) => {
    const delivery = state().deliveries.records.find(({ id }) => id === req.param('id'))
    return delivery === undefined ? nothing('webhooks') : deliveryPage(delivery)
  })

  /** @param below where the form leads, below the page; the browser then goes on to the page itself */
  const take = (
    name: ConsolePage,
    below: string,
    act: Act,
    next: (ids: Parameters<Act>[1]) => string[] = () => [],
  ) =>
    app.post(addressOf(name) + below, ({ env: { arrival }, req }) =>
      handleForm(arrival, async (form) => {
        const ids: Readonly<Record<string, string>> = req.param()
        try {
          await act(form, ids)
        } catch (error) {
          if (!(error instanceof EmulatorError)) throw error
          return refused(name, error.message)
        }
        return goTo(addressOf(name, ...next(ids)))
      }),
    )
  take('overview', '/clock', async (form) => {
    const byMs = clockSteps.get(form.get('by') ?? '')
    if (byMs === undefined) throw new EmulatorError('the clock is not moved by that')
    state().clock.advance(byMs)
    await state().runDueTasks()
  })
  take('overview', '/reset', reset)
  take('checks', '/outcomes', (form) => {
    const status = checkStatuses.find((one) => one === form.get('status'))
    if (status === undefined) throw new EmulatorError('a check does not end like that')
    state().outcomes.script(form.get('type') as CheckType, status, readTimes(form))
  })
  take('checks', '/outcomes/clear', () => state().outcomes.clear())
  take('webhooks', '/faults', (form) =>
    state().deliveries.faults.add({
      kind: form.get('kind') as DeliveryFault['kind'],
      type: (form.get('type') || undefined) as WebhookEventType | undefined,
      times: readTimes(form),
    }),
  )
  take('webhooks', '/faults/clear', () => state().deliveries.faults.clear())
  take(
    'webhooks',
    '/:id/resend',
    (_, { id = '' }) => state().deliveries.resend(id),
    ({ id = '' }) => [id],
  )
  take('tokens', '/rotate', () => state().signingKeys.rotate(true))
  take('faults', '', (form) => {
    const fault = readFault(form)
    if (fault === undefined) throw new EmulatorError('a fault needs an effect')
    state().faults.add(fault, served())
  })
  take('faults', '/:id/remove', (_, { id }) => state().faults.remove(Number(id)))

  app.notFound(() => nothing('overview'))
  app.onError((error) => {
    throw error
  })
  return {
    async fetch(request, baseUrl = new URL(request.url).origin) {
      const { method, headers, signal } = request
      const url = new URL(request.url)
      const bytes = await readBody(request)
      const arrival = { requestId: '', method, url, baseUrl, headers, bytes, signal }
      const response = await app.fetch(request, { arrival })
      for (const [name, value] of Object.entries(emulatorHeaders)) response.headers.set(name, value)
      return response
    },
  }
}

/** Whether a request is for the console: a browser that asks for the root is, since the service has nothing there. */
export function isConsole({ url, method, headers }: Request): boolean {
  const { pathname } = new URL(url)
  if (pathname === '/') return method === 'GET' && (headers.get('accept') ?? '').includes('text/html')
  return pathname === consolePath || pathname.startsWith(`${consolePath}/`)
}

const goTo = (location: string) => new Response(null, { status: 303, headers: { ...pageHeaders, location } })

const nothing = (name: ConsolePage) =>
  consolePage(
    name,
    html`<p>There is no such page, or no longer. Go on to <a href="${addressOf(name)}">${consolePages[name][1]}</a>.</p>`,
    {
      status: 404,
      title: 'Not found',
    },
  )

const refused = (name: ConsolePage, message: string) =>
  consolePage(
    name,
    html`<p>${message}</p><p><a href="${addressOf(name)}">Back to ${consolePages[name][1]}</a></p>`,
    {
      status: 400,
      title: 'Not possible',
    },
  )
