import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import { EmulatorError } from '../../errors/sdk-error.ts'
import type { ControlledEmulator } from '../controls/control.ts'
import { allControls } from '../controls/table.ts'
import { consolePath } from '../model/addresses.ts'
import { type EmulatorRequest, readBody, urlOf } from '../model/request.ts'
import type { Markup } from '../pages/design/components.ts'
import { type IconName, icon } from '../pages/design/icons.ts'
import { handleForm } from '../pages/form.ts'
import { page, redirect } from '../pages/page.ts'
import { addressOf } from './format.ts'
import { type Frame, listPage, readForm, recordPage } from './kind.ts'
import { kinds } from './kinds.ts'
import { overviewPage } from './overview.ts'

interface Bindings {
  readonly request: EmulatorRequest
  readonly emulator: ControlledEmulator
}

const note = 'This console shows what the emulator holds in memory. All names and data are made up.'

/** Creates the console. It is not part of the service, so the request log does not contain its requests. */
export function createConsole(
  at: (baseUrl: string) => ControlledEmulator,
): (request: Request, baseUrl?: string) => Promise<Response> {
  const app = new Hono<{ Bindings: Bindings }>()
  app.get('/', () => redirect(consolePath))
  app.get(consolePath, ({ env }) => show(env, '', overviewPage(viewOf(env))))
  app.post(`${consolePath}/:control`, ({ env, req }) => act(env, [], req.param('control')))
  for (const [name, kind] of Object.entries(kinds)) {
    const address = addressOf(name)
    app.get(address, ({ env }) => show(env, name, listPage(kind, address, viewOf(env))))
    app.get(`${address}/:id`, ({ env, req }) =>
      show(env, name, recordPage(kind, req.param('id'), address, viewOf(env)) ?? notFound(name)),
    )
    app.post(`${address}/:control`, ({ env, req }) => act(env, [name], req.param('control')))
  }
  app.notFound(({ env }) => show(env, '', notFound()))
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

const viewOf = ({ emulator, request: { url } }: Bindings) => ({ emulator, url })

/** Handles a form, then redirects to its page. An `id` is that of the page of a record. @param page its path */
const act = ({ emulator, request }: Bindings, page: readonly string[], name: string): Promise<Response> =>
  handleForm(request, async (form) => {
    const control = allControls.find((one) => one.name === name)
    if (control === undefined) return show({ emulator }, page[0] ?? '', notFound(...page))
    try {
      await control.act(emulator, readForm(control, form))
    } catch (error) {
      if (!(error instanceof EmulatorError)) throw error
      return show({ emulator }, page[0] ?? '', {
        status: 400,
        title: 'That did not work',
        content: html`<p role="alert" data-variant="danger">${error.message}</p><p>${linkBack(...page)}</p>`,
      })
    }
    const id = form.get('id')
    return redirect(addressOf(...page, ...(id === null ? [] : [id])))
  })

const titleOf = (page = '') => kinds[page]?.title ?? 'Overview'

const linkBack = (...page: readonly string[]): Markup =>
  html`<a href="${addressOf(...page)}">Back to ${titleOf(...page)}</a>`

const notFound = (...page: readonly string[]): Frame => ({
  status: 404,
  title: 'Not found',
  content: html`<p>This page does not exist, or its record was deleted.</p><p>${linkBack(...page)}</p>`,
})

/** Renders a page. @param name that of the kind. The overview has none */
function show(
  { emulator }: Pick<Bindings, 'emulator'>,
  name: string,
  { status = 200, title, nextToTitle, about, content }: Frame,
): Promise<Response> {
  const link = (path: string, label: string, drawing: IconName, count: number) =>
    html`<a href="${path === '' ? consolePath : addressOf(path)}"${path === name ? html` aria-current="page"` : ''}>${icon(drawing)} <span>${label}</span>${count === 0 ? '' : html`<span class="count">${count}</span>`}</a>
`
  const links = Object.entries(kinds).map(([path, kind]) =>
    link(path, kind.title, kind.icon, kind.records(emulator).length),
  )
  const nav = html`<p class="brand">${icon('shield')} Emulator</p>
<div class="links" data-live="nav">${link('', 'Overview', 'grid', 0)}${links}</div>
${status === 200 ? html`<p id="live" class="quiet" role="status">Reload the page to see changes.</p>` : ''}`
  return page(
    status,
    { title: `${title} - console`, note, nav },
    html`<div class="heading"><h1>${title}</h1>${nextToTitle ?? ''}${about === undefined ? '' : html`<p class="quiet">${about}</p>`}</div>
${content}`,
  )
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
