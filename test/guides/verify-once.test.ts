import { beforeAll, beforeEach, expect, it, type MockInstance, vi } from 'vitest'
import {
  createVerificationManager,
  memoryStore,
  type NotVerifiedError,
  signWebhook,
  VerificationClient,
  type VerificationManager,
  type WebhookHandler,
} from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'
import { anEvent } from '../support/webhook.ts'
import { columnOf } from './reading.ts'

const page = 'docs/guides/verify-once.md'
const guide = documentedCode('docs/guides/verify-once.md')
const { emulator } = guide

/** The module of the first example, under the name by which the other examples import it. */
let modules: Record<string, { readonly verifications: VerificationManager }>
let verifications: VerificationManager
/** What `onChange` prints. */
let print: MockInstance<typeof console.log>

beforeAll(async () => {
  const exports = await guide.load<{ verifications: VerificationManager }>('Create the manager')
  verifications = exports.verifications
  modules = { './verifications.ts': { verifications } }
})

beforeEach(async () => {
  emulator.reset()
  print = vi.spyOn(console, 'log').mockReturnValue()
  await verifications.forget('user-42')
})

/** Starts a verification and completes it on the hosted page. */
async function complete(status: 'APPROVED' | 'DECLINED' | 'IN_REVIEW'): Promise<string> {
  const { sessionId } = await verifications.start('user-42')
  await emulator.sessions.complete(String(sessionId), status)
  return String(sessionId)
}

type Verify = (userId: string) => Promise<string>

it('start returns the address of the same session until it ends, and then asks to try later', async () => {
  const { verify } = await guide.load<{ verify: Verify }>('Start or resume', { modules })

  const url = await verify('user-42')
  expect(url).toMatch(/^http/)
  expect(await verify('user-42')).toBe(url)

  for (let attempt = 1; attempt <= 3; attempt++) {
    await complete('DECLINED')
    await verifications.refresh('user-42')
  }
  expect(await verify('user-42')).toMatch(/^\/try-later\?seconds=\d{4,5}$/)
})

it('a person who is approved is not sent to a session', async () => {
  const { verify } = await guide.load<{ verify: Verify }>('Start or resume', { modules })
  await complete('APPROVED')
  await verifications.refresh('user-42')

  expect(await verify('user-42')).toBe('/account')
})

it('the handler applies an event, with the outcome that the service has', async () => {
  const { handler } = await guide.load<{ handler: WebhookHandler }>('Receive the outcome', { modules })
  const id = await complete('DECLINED')
  const event = anEvent({ type: 'verification.approved', session_id: id, vendor_data: 'user-42' })

  const result = await handler.handle(await signWebhook({ event, secret: emulator.webhooks.secret }))

  expect(result.outcome).toBe('processed')
  expect((await verifications.get('user-42')).state).toBe('declined')
})

it('the page shows the outcome when the person returns before the webhook', async () => {
  const { outcomePage } = await guide.load<{ outcomePage: Verify }>('Show the outcome when the person returns', {
    modules,
  })
  expect(await outcomePage('user-42')).toBe('none')
  await complete('IN_REVIEW')

  expect(await outcomePage('user-42')).toBe('in_review')
})

interface Page {
  readonly status: number
  readonly text: string
}

/** Requests the protected page of a program that listens. */
const served = (name: string, around: object) => async () => {
  let page: Page | undefined
  await guide.whileServing(
    name,
    async (port) => {
      const response = await fetch(`http://127.0.0.1:${port}/shop/wine`, { headers: { user: 'user-42' } })
      page = { status: response.status, text: await response.text() }
    },
    around,
  )
  return page
}

/** Calls the route handler, as Next.js does. `next` and `redirect` are the only functions of it that are used. */
async function ofNext(around: { readonly modules: object }) {
  const redirect = (path: string) => {
    throw new Error(path)
  }
  const modules = {
    ...around.modules,
    'next/headers': { headers: async () => new Headers({ user: 'user-42' }) },
    'next/navigation': { redirect },
  }
  const { GET } = await guide.load<{ GET(request: Request): Promise<Response> }>('Next.js', { modules })
  return () =>
    GET(new Request('https://app.example/wine')).then(
      async (response) => ({ status: response.status, text: await response.text() }),
      ({ message }: Error) => ({ status: 307, text: message }),
    )
}

const refused = { status: 403, text: 'none' }

it.each([
  ['Express', refused],
  ['Next.js', { status: 307, text: '/verify' }],
])('with %s, a person who is not approved gets no page, and one who is gets it', async (name, expected) => {
  const session = {
    userIdOf: (headers: object) => (headers instanceof Headers ? headers.get('user') : Object(headers).user),
  }
  const { './verifications.ts': manager = {} } = modules
  const around = {
    modules: { ...modules, './verifications': manager, './session': session, './session.ts': session },
  }
  const visit = name === 'Next.js' ? await ofNext(around) : served(name, around)
  expect(await visit()).toEqual(expected)

  await complete('APPROVED')
  await verifications.refresh('user-42')

  expect(await visit()).toEqual({ status: 200, text: 'Wine' })
})

it('the gates of Fastify, Hono and NestJS wait for the approval', async () => {
  const session = { userIdOf: (headers: { user?: string }) => headers.user }
  const { approvedOnly, approvedFirst } = await guide.load<{
    approvedOnly(request: object): Promise<unknown>
    approvedFirst(context: object, next: () => unknown): Promise<unknown>
  }>('Fastify and Hono', { modules: { ...modules, './session.ts': session } })
  const { ApprovedGuard } = await guide.load<{ ApprovedGuard: new () => { canActivate(context: object): unknown } }>(
    'NestJS',
    { modules: { ...modules, './session.ts': session } },
  )
  const headers = { user: 'user-42' }
  const context = { switchToHttp: () => ({ getRequest: () => ({ headers }) }) }
  const next = vi.fn()
  const visits = () => [
    approvedOnly({ headers }),
    approvedFirst({ req: { header: () => headers } }, next),
    new ApprovedGuard().canActivate(context),
  ]

  const refusals = await Promise.allSettled(visits())
  expect(refusals).toMatchObject(Array(3).fill({ status: 'rejected', reason: { reason: 'none' } }))
  expect(next).not.toHaveBeenCalled()
  await complete('APPROVED')
  await verifications.refresh('user-42')
  expect((await Promise.all(visits())).at(-1)).toBe(true)
  expect(next).toHaveBeenCalledOnce()
})

it('the gate of Next.js has the types of actions, of a form and of useActionState, and of route handlers', async () => {
  const own = guide.code('Next.js').replaceAll(/^import .*'(next\/|\.\/).*$/gm, '')
  const around = `
    declare function headers(): Promise<Headers>
    declare function redirect(path: string): never
    declare function userIdOf(headers: Headers): string
    declare const verifications: import('identity-service-sdk').VerificationManager
    export const action: (form: FormData) => void | Promise<void> = order
    export const route: (request: Request) => Response | Promise<Response> = approvedOnly(async () => new Response())
    type Context = { params: Promise<{ id: string }> }
    const readId = async (_: unknown, __: Request, { params }: Context) => new Response((await params).id)
    export const withParams: (request: Request, context: Context) => Promise<Response> = approvedOnly(readId)
    const join = async (_: unknown, previous: string, form: FormData) => previous + form.get('name')
    export const withState: (previous: string, form: FormData) => Promise<string> = approvedOnly(join)`

  const options = { module: 'nodenext', lib: 'es2022,dom' }
  expect(await guide.installed.compile({ 'gate.mts': own + around }, options)).toBe('')
})

it('the job prints every change and what failed, and continues after a failure', async () => {
  let ms = Date.now()
  const verifications = createVerificationManager({
    client: new VerificationClient(emulator.options.verification),
    store: memoryStore(),
    session: { workflow_id: 'wf_identity' },
    now: () => new Date(ms),
  })
  for (const subject of ['ada', 'bo', 'cy']) {
    const { sessionId } = await verifications.start(subject)
    if (subject !== 'cy') await emulator.sessions.complete(String(sessionId), 'APPROVED')
  }
  ms += 20 * 60_000
  emulator.faults.add({ match: 'sessions.decision', status: 400 })

  const printed = await guide.run('Find lost webhooks', { modules: { './verifications.ts': { verifications } } })

  expect(printed).toMatch(/^(?:ada|bo): approved$/m)
  expect(printed).toMatch(/^\w+: .*sessions\.decision: 400/m)
  expect(printed).toMatch(/^3 visited, [12] changed, 1 failed$/m)
})

it('onChange runs once for each change', async () => {
  await complete('APPROVED')
  await verifications.refresh('user-42')
  await verifications.refresh('user-42')

  expect(print.mock.calls).toEqual([['user-42: none -> open'], ['user-42: open -> approved']])
})

/** The compiler checks that none is missing. */
const reasons: Record<NotVerifiedError['reason'], true> = {
  none: true,
  starting: true,
  open: true,
  in_review: true,
  declined: true,
  ended: true,
  too_old: true,
  check_missing: true,
}

it('the table of reasons lists every reason', () => {
  const listed = columnOf(page, 'Reasons').flatMap((cell) => cell.split(', '))
  expect(listed.sort()).toEqual(Object.keys(reasons).sort())
})

it('the table of starts lists every state', () => {
  const listed = columnOf(page, 'Start or resume').flatMap((cell) => cell.split(', '))
  const { too_old: _, check_missing: __, ...states } = reasons
  expect(listed.sort()).toEqual([...Object.keys(states), 'approved'].sort())
})
