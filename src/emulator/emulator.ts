import { onAbort } from '../runtime/timing.ts'
import { createConsole, isConsole } from './console/console.ts'
import type { ControlledEmulator } from './controls/control.ts'
import type { Emulator, EmulatorServer, ListenOptions } from './controls/controls.ts'
import { createControlApi, isControl, rejectRemote } from './controls/http.ts'
import {
  checkControls,
  clockControls,
  faultControls,
  memberControls,
  sessionControls,
  signInControls,
  stateControls,
  webhookControls,
} from './controls/table.ts'
import type { Fault } from './model/faults/faults.ts'
import { type EmulatorOptions, type EmulatorSettings, readEmulatorOptions } from './model/options/options.ts'
import { urlOf } from './model/request.ts'
import { emulatorHeaders } from './model/response.ts'
import { ServiceState } from './model/service-state.ts'
import { SigningKeys } from './model/sign-in/signing-keys.ts'
import { stateFrom } from './model/snapshot.ts'
import { rejectForeignForm } from './pages/form.ts'
import { readBaseUrl, readMountPath, stripBasePath, withoutPrefix, withPrefix } from './server/base-url.ts'
import { createService } from './server/compose.ts'
import { listen, type Serve } from './server/listen.ts'

/**
 * A name of this machine, because `SVC_EMULATOR_ONLY` accepts nothing else, with a port where no server listens, so
 * that a client without the emulator's `fetch` fails and sends nothing.
 */
const unreachableUrl = 'https://localhost:1'

/**
 * Creates an emulator: the whole service in memory, for tests and for development without a network. Every response
 * has the header `X-Emulator: 1`.
 *
 * @throws {ConfigurationError} an option is invalid
 *
 * @example
 * const emulator = createEmulator({ seed: 1 })
 * const client = new VerificationClient(emulator.options.verification)
 * const session = await client.sessions.create({ workflow_id: 'wf_identity' })
 * await emulator.sessions.complete(session.session_id, 'APPROVED')
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const settings = readEmulatorOptions(options)
  let state = new ServiceState(settings, new SigningKeys())
  let service = createService(state)
  const at = (baseUrl: string): ControlledEmulator => ({
    get state() {
      return state
    },
    get served() {
      return service.served
    },
    baseUrl,
    replaceState(next) {
      service = createService(next)
      state = next
    },
  })
  const emulatorConsole = createConsole(at)
  const control = createControlApi(at)
  const respond: Serve = async (request, { baseUrl, controls = 'loopback' } = {}) => {
    const own = withoutPrefix(request, baseUrl) ?? request
    const isOwn = isControl(own) || isConsole(own)
    if (!isOwn || own.method !== 'GET') writes += 1
    const remote = isOwn ? rejectRemote(own, controls) : undefined
    if (remote !== undefined) return remote
    if (isControl(own)) return control(own, baseUrl)
    const rejection = await rejectForeignForm(request, baseUrl)
    if (rejection !== undefined) return rejection
    return isOwn ? withPrefix(await emulatorConsole(own, baseUrl), baseUrl) : service.fetch(request, baseUrl)
  }
  const serve: Serve = async (request, from) => {
    const response = await respond(request, from)
    for (const [name, value] of Object.entries(emulatorHeaders)) response.headers.set(name, value)
    return response
  }
  const servers: EmulatorServer[] = []
  /** Requests that may have changed the state. */
  let writes = 0

  const origin = () => servers.at(-1)?.url ?? unreachableUrl
  const fetchAt =
    (baseUrl?: string): Emulator['fetch'] =>
    async (input, init) => {
      const request = requestOf(input, init)
      return unlessAborted(request.signal, () => serve(request, { baseUrl }))
    }
  const fetch = fetchAt()
  const here = (): ControlledEmulator => at(origin())

  const emulator: Emulator = {
    fetch,
    at: (baseUrl) => fetchAt(readBaseUrl('emulator.at: baseUrl', baseUrl)),
    mount(path) {
      const prefix = readMountPath(path)
      return async (input, init) => {
        const request = requestOf(input, init)
        const baseUrl = urlOf(request).origin + prefix
        // At the root of another server, the console is not the emulator's to serve.
        const isBelow = stripBasePath(urlOf(request), baseUrl) !== undefined
        return unlessAborted(request.signal, () =>
          isBelow ? serve(request, { baseUrl }) : service.fetch(request, baseUrl),
        )
      }
    },
    get options() {
      return clientOptions(settings, { baseUrl: origin(), fetch })
    },
    webhooks: {
      secret: settings.webhooks.secret,
      get deliveries() {
        return state.deliveries.records
      },
      resend: async (id) => webhookControls.resend.act(here(), { id }),
      sendTest: async (type) => webhookControls.sendTest.act(here(), { type }),
      settled: () => state.deliveries.settled(),
      faults: {
        add: (fault) => webhookControls.addFault.act(here(), fault),
        clear: () => state.deliveries.faults.clear(),
      },
    },
    sessions: {
      start: (id, options) => void sessionControls.start.act(here(), { id, ...options }),
      async complete(id, status, options) {
        await sessionControls.complete.act(here(), { id, status, ...options })
      },
    },
    members: {
      activate: (id) => memberControls.activate.act(here(), { id }),
      activationLink: (id) => state.roster.activationLink(id, origin()),
      removeIdentity: (id) => memberControls.removeIdentity.act(here(), { id }),
    },
    signIn: {
      approve: (url, options) => signInControls.approve.act(here(), { url: String(url), ...options }).url,
      deny: (url) => signInControls.deny.act(here(), { url: String(url) }).url,
      rotateKeys: (options = {}) => signInControls.rotateKeys.act(here(), options),
    },
    checks: {
      script: (type, outcome, options) => checkControls.script.act(here(), { type, outcome, ...options }),
      clear: () => state.outcomes.clear(),
    },
    faults: {
      add: (fault: Fault) => faultControls.add.act(here(), fault),
      clear: () => state.faults.clear(),
    },
    clock: {
      now: () => state.clock.now(),
      advance: (ms) => clockControls.advance.act(here(), { ms }).then(() => {}),
    },
    get requests() {
      return state.requestLog.requests
    },
    get ledger() {
      return state.wallet.ledger
    },
    reset: () => stateControls.reset.act(here(), {}),
    get revision() {
      return `${writes}.${state.sessions.changes}.${state.deliveries.changes}`
    },
    snapshot: () => stateControls.snapshot.act(here(), {}),
    restore: async (snapshot) => here().replaceState(await stateFrom(snapshot, settings)),
    listen: (listenOptions = {}) => openServer(serve, listenOptions, { servers, state: () => state }),
  }
  return emulator
}

/** Returns the options of clients for the emulator. */
function clientOptions(
  { apiKey, oidc, org }: EmulatorSettings,
  inProcess: { readonly baseUrl: string; readonly fetch: Emulator['fetch'] },
): Emulator['options'] {
  return {
    verification: { ...inProcess, apiKey },
    oidc: {
      ...inProcess,
      clientId: oidc.clientId,
      clientSecret: oidc.clientSecret,
      redirectUri: oidc.redirectUris?.[0] ?? 'http://localhost:3000/callback',
    },
    org: { ...inProcess, clientId: org.clientId, clientSecret: org.clientSecret },
  }
}

/** Starts a server. It is one of the open servers until it is closed. */
async function openServer(
  serve: Serve,
  options: ListenOptions,
  { servers, state }: { readonly servers: EmulatorServer[]; state(): ServiceState },
): Promise<EmulatorServer> {
  const server = await listen(serve, options)
  const timer = setInterval(() => void state().runDueTasks(), 1000)
  // The timer alone must not keep the process alive.
  timer.unref()
  const listening: EmulatorServer = {
    url: server.url,
    consoleUrl: server.consoleUrl,
    close() {
      clearInterval(timer)
      const index = servers.indexOf(listening)
      if (index >= 0) servers.splice(index, 1)
      return server.close()
    },
    [Symbol.asyncDispose]: () => listening.close(),
  }
  servers.push(listening)
  return listening
}

/**
 * A `Request` is passed on as it is, so that it may be of another implementation, such as the one of the undici
 * package.
 */
const requestOf = (input: string | URL | Request, init: RequestInit | undefined) => {
  if (typeof input === 'string' || input instanceof URL || init !== undefined) return new Request(input, init)
  return isOfSrvx(input) ? withoutSignal(input) : input
}

/** The server of Nitro marks its requests. Up to srvx 0.8, their signal is aborted as soon as their body was read. */
const isOfSrvx = (request: Request) => 'runtime' in request

/** A server needs no signal, because a client that has left does not get the response. */
const withoutSignal = ({ url, method, headers, body }: Request): Request =>
  new Request(url, { method, headers, ...(body && { body, duplex: 'half' }) })

/** Rejects as soon as the signal is aborted, without waiting for the service. */
async function unlessAborted(signal: AbortSignal, serve: () => Promise<Response>): Promise<Response> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, () => reject(signal.reason))
    serve().then(resolve, reject).finally(stopListening)
  })
}
