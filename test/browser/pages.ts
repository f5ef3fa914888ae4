// The name of a field: cspell:ignore sessionpath

import type { Page } from 'playwright-core'
import { arriving } from './visiting.ts'
import type { World } from './world.ts'

/** A page, and the form that leads to it, if any. */
export interface Visit {
  readonly path: string
  readonly form?: Readonly<Record<string, string>>
  /** The form is submitted from another site. */
  readonly isCrossSite?: boolean
}

/**
 * Returns all pages of a world, including each kind of error page, in an order in which no visit affects a later one.
 */
export function pagesOf(world: World, textOf: (field: string) => string): Readonly<Record<string, Visit>> {
  const { sessions, activationLink } = world
  const hosted = (name: keyof World['sessions'], query = '') => new URL(sessions[name].url).pathname + query
  const session = (name: keyof World['sessions']) => `${home}/sessions/${sessions[name].session_id}`
  const invitation = new URL(activationLink).pathname
  const authorize = (over?: Readonly<Record<string, string>>) => {
    const { pathname, search } = new URL(world.authorization(over))
    return pathname + search
  }
  const inPath = (field: string) => encodeURIComponent(textOf(field).toWellFormed())
  // One that was accepted, one that was rejected, and one whose connection failed.
  const deliveries = world.emulator.webhooks.deliveries
    .slice(0, 3)
    .map(({ id }, i): [string, Visit] => [`delivery ${i + 1}`, { path: `${home}/webhooks/${id}` }])
  const [token, , hostile] = world.emulator.requests.slice(-3).map(({ requestId }) => requestId)
  return {
    'hosted page': { path: hosted('open') },
    'unknown choice': { path: hosted('open'), form: { age: textOf('pick'), choice: textOf('choice') } },
    'hosted page without all results': { path: hosted('open'), form: { choice: 'finish', id_verification: 'passed' } },
    'hosted page with all checks done': { path: hosted('worked') },
    'closed session': { path: hosted('approved') },
    'expired session': { path: hosted('expired') },
    'unknown session': { path: `/s/${inPath('sessionpath')}` },
    'cross-site form': { path: hosted('open'), form: { choice: 'leave' }, isCrossSite: true },
    'consent page': { path: authorize() },
    'consent for an unknown user': {
      path: authorize(),
      form: { user: `not ${textOf('user')}`, choice: 'approve' },
    },
    'consent for an unknown client': { path: authorize({ client_id: `not ${textOf('client')}` }) },
    'consent for an unknown redirect URI': { path: authorize({ redirect_uri: textOf('address') }) },
    invitation: { path: invitation },
    'invitation without a choice': { path: invitation, form: { choice: textOf('choice') } },
    'accepting an invitation': { path: invitation, form: { choice: 'connect' } },
    'invalid invitation': { path: invitation },
    'console: overview': { path: home },
    'console: sessions': { path: `${home}/sessions` },
    'console: open session': { path: session('open') },
    'console: approved session': { path: session('approved') },
    'console: expired session': { path: session('expired') },
    'console: checks': { path: `${home}/checks` },
    'console: webhooks': { path: `${home}/webhooks` },
    ...Object.fromEntries(deliveries),
    'console: members': { path: `${home}/members` },
    'console: tokens': { path: `${home}/tokens` },
    'console: ledger': { path: `${home}/ledger` },
    'console: requests': { path: `${home}/requests` },
    'console: request with secrets': { path: `${home}/requests/${token}` },
    'console: request without an operation': { path: `${home}/requests/${hostile}` },
    'console: nothing found': { path: `${home}/members?q=nobody` },
    'console: faults': { path: `${home}/faults` },
    'console: unknown page': { path: `${home}/${inPath('page')}` },
    'console: unknown session': { path: `${home}/sessions/${inPath('session')}` },
    'console: unknown request': { path: `${home}/requests/${inPath('request')}` },
    'console: unknown end of a session': {
      path: `${home}/sessions/sessions.complete`,
      form: { id: sessions.open.session_id, status: textOf('end') },
    },
    'console: unknown delivery': { path: `${home}/webhooks/${inPath('delivery')}` },
    'console: resending an unknown delivery': {
      path: `${home}/webhooks/webhooks.resend`,
      form: { id: textOf('delivery') },
    },
    'console: unknown operation': {
      path: `${home}/faults/faults.add`,
      form: { reset: 'true', match: textOf('operation') },
    },
    'console: unknown control': { path: `${home}/${inPath('step')}`, form: { ms: '1' } },
  }
}

const home = '/_emulator'

/** Returns the markup of a page without a browser, by sending the requests that a browser sends, in the same order. */
export async function markupOf({ emulator, url }: World, { path, form, isCrossSite = false }: Visit) {
  const get = async (address: string) => (await emulator.fetch(new Request(address))).text()
  if (form === undefined) return get(url + path)
  if (!isCrossSite) await get(url + path)
  const response = await emulator.fetch(
    new Request(url + path, {
      method: 'POST',
      headers: { 'sec-fetch-site': isCrossSite ? 'cross-site' : 'same-origin' },
      body: new URLSearchParams(form),
    }),
  )
  const location = response.headers.get('location')
  return location === null ? response.text() : get(new URL(location, url + path).href)
}

interface FormElement {
  append(child: FormElement): void
  submit(): void
}
declare const document: {
  createElement(name: string): FormElement
  readonly documentElement: FormElement
}

/** Opens a page in a browser. */
export async function open(page: Page, url: string, { path, form, isCrossSite = false }: Visit) {
  await page.goto(isCrossSite ? 'about:blank' : url + path)
  if (form === undefined) return
  const submit = () =>
    page.evaluate(
      ({ action, fields }) => {
        const sent = Object.assign(document.createElement('form'), { method: 'post', action })
        for (const [name, value] of fields)
          sent.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
        document.documentElement.append(sent)
        sent.submit()
      },
      { action: url + path, fields: Object.entries(form) },
    )
  await arriving(page, submit)
}
