import type { Page } from 'playwright-core'
import { arriving } from './visiting.ts'
import type { World } from './world.ts'

/** A page, and the form that leads to it, if one does. */
export interface Visit {
  readonly path: string
  readonly form?: Readonly<Record<string, string>>
  /** The form stands on a page of another site. */
  readonly fromElsewhere?: boolean
}

/** Every page of a world, each kind of error page included, in an order in which none spoils a later one. */
export function pagesOf(world: World, say: (field: string) => string): Readonly<Record<string, Visit>> {
  const { sessions, links } = world
  const hosted = (name: keyof World['sessions'], query = '') => new URL(sessions[name].url).pathname + query
  const session = (name: keyof World['sessions']) => `${home}/sessions/${sessions[name].session_id}`
  const invitation = (link: string) => new URL(link).pathname
  const authorize = (over?: Readonly<Record<string, string>>) => {
    const { pathname, search } = new URL(world.authorization(over))
    return pathname + search
  }
  const inPath = (field: string) => encodeURIComponent(say(field).toWellFormed())
  // One that was taken, one that was refused, one whose receiver was away.
  const deliveries = world.emulator.webhooks.deliveries
    .slice(0, 3)
    .map(({ id }, i): [string, Visit] => [`delivery ${i + 1}`, { path: `${home}/webhooks/${id}` }])
  return {
    'hosted page': { path: hosted('open') },
    'first check': { path: hosted('open', '?step=1') },
    'first check without an answer': { path: hosted('open', '?step=1'), form: { choice: 'answer' } },
    'a choice that is none': { path: hosted('open'), form: { age: say('pick'), choice: say('choice') } },
    'second check': {
      path: hosted('open', '?step=1'),
      form: { choice: 'answer', id_verification: 'passed' },
    },
    'third check': { path: hosted('open', '?step=3') },
    'fourth check': { path: hosted('open', '?step=4') },
    'fifth check': { path: hosted('open', '?step=5') },
    'sixth check': { path: hosted('open', '?step=6') },
    'summary of an unfinished walk': { path: hosted('open', '?step=summary') },
    summary: { path: hosted('worked', '?step=summary') },
    'hosted page that is worked through': { path: hosted('worked') },
    'closed session': { path: hosted('approved') },
    'expired session': { path: hosted('expired') },
    'unknown session': { path: `/s/${inPath('sessionpath')}` },
    'form of another site': { path: hosted('open'), form: { choice: 'leave' }, fromElsewhere: true },
    'consent page': { path: authorize() },
    'consent without a person': {
      path: authorize(),
      form: { user: `not ${say('nobody')}`, choice: 'approve' },
    },
    'consent for an unknown client': { path: authorize({ client_id: `not ${say('client')}` }) },
    'consent for an unknown address': { path: authorize({ redirect_uri: say('address') }) },
    invitation: { path: invitation(links.open) },
    'invitation without a choice': { path: invitation(links.open), form: { choice: say('choice') } },
    'accepting an invitation': { path: invitation(links.open), form: { choice: 'connect' } },
    'invitation that was accepted': { path: invitation(links.open) },
    'invitation that is over': { path: invitation(links.over) },
    'unknown invitation': { path: `/activate/${inPath('token')}` },
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
    'console: faults': { path: `${home}/faults` },
    'console: unknown page': { path: `${home}/${inPath('page')}` },
    'console: unknown session': { path: `${home}/sessions/${inPath('session')}` },
    'console: unknown delivery': { path: `${home}/webhooks/${inPath('delivery')}` },
    'console: no step of the clock': { path: `${home}/clock`, form: { by: say('step') } },
    'console: no check': { path: `${home}/checks/outcomes`, form: { type: say('check'), status: 'passed' } },
    'console: no outcome': { path: `${home}/checks/outcomes`, form: { type: 'age', status: say('outcome') } },
    'console: no delivery fault': { path: `${home}/webhooks/faults`, form: { kind: say('kind') } },
    'console: no event': { path: `${home}/webhooks/faults`, form: { kind: 'late', type: say('event') } },
    'console: no delivery to resend': { path: `${home}/webhooks/${inPath('delivery')}/resend`, form: {} },
    'console: no fault': { path: `${home}/faults`, form: { effect: say('effect') } },
    'console: no operation': {
      path: `${home}/faults`,
      form: { effect: 'connection reset', match: say('operation') },
    },
  }
}

const home = '/_emulator'

/** What a browser is shown there, without a browser: it sends the same requests in the same order. */
export async function markupOf({ emulator, url }: World, { path, form, fromElsewhere = false }: Visit) {
  const get = async (address: string) => (await emulator.fetch(new Request(address))).text()
  if (form === undefined) return get(url + path)
  if (!fromElsewhere) await get(url + path)
  const answer = await emulator.fetch(
    new Request(url + path, {
      method: 'POST',
      headers: { 'sec-fetch-site': fromElsewhere ? 'cross-site' : 'same-origin' },
      body: new URLSearchParams(form),
    }),
  )
  const location = answer.headers.get('location')
  return location === null ? answer.text() : get(new URL(location, url + path).href)
}

interface FormElement {
  append(child: FormElement): void
  submit(): void
}
declare const document: {
  createElement(name: string): FormElement
  readonly documentElement: FormElement
}

/** Goes there in a browser. */
export async function open(page: Page, url: string, { path, form, fromElsewhere = false }: Visit) {
  await page.goto(fromElsewhere ? 'about:blank' : url + path)
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
