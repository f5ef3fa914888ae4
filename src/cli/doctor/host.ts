import { isIP } from 'node:net'
import { connect, type PeerCertificate } from 'node:tls'
import { webhookToleranceSeconds } from '../../contract/webhooks/headers.ts'
import type { EnvProxy } from '../../http/transport/env-proxy.ts'
import { openTunnel } from '../../http/transport/tunnel.ts'
import { defaultToleranceSeconds } from '../../oidc/options.ts'
import { emulatorHeader } from '../../runtime/environment.ts'
import type { Settings } from '../env-settings.ts'
import { CommandFailure, reasonOf } from '../failure.ts'
import { proxiedFetch, proxyFor } from '../proxied-fetch.ts'
import type { CliContext } from '../shell.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Maximum time for one request, in milliseconds. */
export const requestTimeoutMs = 10_000

/** Certificates that expire sooner get a warning, so that there is time to renew them. In days. */
const minDaysLeft = 21

/** Checks a host: its proxy, its TLS certificate, whether it responds, and its clock. */
export async function* checkHost(
  url: string,
  { NODE_ENV: mode }: Settings,
  context: CliContext,
): AsyncGenerator<Finding> {
  const { protocol, host } = new URL(url)
  const { now } = context
  let proxy: EnvProxy | undefined
  try {
    proxy = proxyFor(context, new URL(url))
  } catch (error) {
    yield fail(`proxy ${host}`, reasonOf(error), 'correct the variable, or unset it')
    return
  }
  if (proxy !== undefined) yield ok(`proxy ${host}`, `${proxy.host}, from ${proxy.variable}`)
  if (protocol === 'https:') yield await checkTls(new URL(url), context, proxy)
  const sentAt = now().getTime()
  let response: Response
  try {
    const signal = AbortSignal.timeout(requestTimeoutMs)
    response = await proxiedFetch(context, url, { redirect: 'manual', signal })
    // Not awaited, because the host may send without end.
    response.body?.cancel().catch(() => {})
  } catch (error) {
    if (protocol === 'http:') yield withoutTls(host)
    yield fail(`reach ${host}`, reasonOf(error), 'check the URL, the network, the proxy and the firewall')
    return
  }
  const receivedAt = now().getTime()
  const { status, headers } = response
  const isEmulator = headers.has(emulatorHeader)
  if (protocol === 'http:' && !isEmulator) yield withoutTls(host)
  if (status >= 500)
    yield warn(`reach ${host}`, `responded with ${status}`, 'the service has an error: try again later')
  else yield ok(`reach ${host}`, `responded in ${receivedAt - sentAt} ms`)
  if (isEmulator) yield emulator(host, mode)
  yield checkClock(host, headers.get('date'), (sentAt + receivedAt) / 2)
}

/** Base URLs without TLS are accepted for this machine only. */
const withoutTls = (host: string) =>
  warn(`tls ${host}`, 'none: this is an http URL of this machine', 'use the https URL in production')

function emulator(host: string, mode: string | undefined): Finding {
  const check = `emulator ${host}`
  if (mode !== 'production') return ok(check, 'this is an emulator: nothing is verified')
  return fail(
    check,
    'nothing is verified, with NODE_ENV=production',
    'set the base URLs and the credentials of the service',
  )
}

function checkClock(host: string, date: string | null, nowMs: number): Finding {
  const check = `clock ${host}`
  const hostMs = Date.parse(date ?? '')
  if (Number.isNaN(hostMs))
    return warn(check, 'the response has no Date header', 'compare the clock of this machine with a time server')
  // The header has whole seconds, so the host's time is half a second later on average.
  const skew = Math.round((nowMs - hostMs - 500) / 1000)
  const detail = `the clock of this machine is ${Math.abs(skew)} s ${skew < 0 ? 'behind' : 'ahead'}`
  const advice = 'synchronize the clock of this machine with NTP'
  if (Math.abs(skew) > webhookToleranceSeconds) return fail(check, `${detail}: webhooks are rejected`, advice)
  if (Math.abs(skew) > defaultToleranceSeconds) return warn(check, `${detail}: tokens may be rejected`, advice)
  return ok(check, `differs by ${Math.abs(skew)} s`)
}

async function checkTls(url: URL, { now }: CliContext, proxy: EnvProxy | undefined): Promise<Finding> {
  const { host } = url
  const check = `tls ${host}`
  try {
    const { certificate, trustError } = await readCertificate(url, proxy)
    const { issuer, valid_to: end } = certificate
    const daysLeft = Math.floor((Date.parse(end) - now().getTime()) / 86_400_000)
    const facts = `issued by ${issuer?.O ?? issuer?.CN ?? 'an unnamed issuer'}, ${daysLeft} days left`
    if (trustError !== undefined)
      return fail(
        check,
        `${facts}: ${trustError}`,
        'add your own CA with NODE_EXTRA_CA_CERTS; never disable certificate checks',
      )
    if (daysLeft < minDaysLeft) return warn(check, facts, 'the operator of the host has to renew the certificate')
    return ok(check, facts)
  } catch (error) {
    return fail(check, reasonOf(error), 'check the host and port of the URL')
  }
}

/** Returns the certificate of a host, and why it is not trusted, if it is not. Sends no data to the host. */
async function readCertificate(url: URL, proxy: EnvProxy | undefined) {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const tunnel = proxy && (await openTunnel(await import('undici'), proxy, url.host))
  return new Promise<{ certificate: PeerCertificate; trustError: string | undefined }>((resolve, reject) => {
    const socket = connect({
      // The certificate has to be for this name, also if the connection is a tunnel.
      host,
      ...(tunnel === undefined ? { port: Number(url.port || 443) } : { socket: tunnel }),
      ...(isIP(host) ? {} : { servername: host }),
      // The finding describes certificates that are not trusted too.
      rejectUnauthorized: false,
    })
    socket.once('error', reject)
    // The socket's own timeout would start again with each byte.
    AbortSignal.timeout(requestTimeoutMs).addEventListener('abort', () =>
      socket.destroy(new CommandFailure(`no response within ${requestTimeoutMs / 1000} seconds`)),
    )
    socket.once('secureConnect', () => {
      const { authorized, authorizationError } = socket
      const certificate = socket.getPeerCertificate()
      socket.destroy()
      const trustError = authorized
        ? undefined
        : String((authorizationError as NodeJS.ErrnoException)?.code ?? authorizationError)
      resolve({ certificate, trustError })
    })
  })
}
