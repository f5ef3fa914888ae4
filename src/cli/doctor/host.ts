import { isIP } from 'node:net'
import { connect, type PeerCertificate } from 'node:tls'
import { webhookToleranceSeconds } from '../../contract/webhooks/headers.ts'
import type { Surroundings } from '../shell.ts'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'

/** Longest wait for an answer, in milliseconds. */
export const patienceMs = 10_000

/** Tokens are judged with this much leeway by default. In seconds. */
const leewaySeconds = 30

/** Time enough to renew a certificate. In days. */
const fewDays = 21

/** Whether a host answers, what clock it goes by, and what proves that it is the host. */
export async function* checkHost(url: string, around: Surroundings): AsyncGenerator<Finding> {
  const { protocol, host } = new URL(url)
  if (protocol === 'https:') yield await checkTls(new URL(url), around)
  const { fetch = globalThis.fetch, now } = around
  const sentAt = now().getTime()
  let response: Response
  try {
    const signal = AbortSignal.timeout(patienceMs)
    response = await fetch(url, { redirect: 'manual', signal })
    await response.body?.cancel()
  } catch (error) {
    yield fail(`reach ${host}`, reasonOf(error), 'check the address, the network, the proxy and the firewall')
    return
  }
  const receivedAt = now().getTime()
  const { status, headers } = response
  if (status >= 500)
    yield warn(`reach ${host}`, `answers ${status}`, 'the service has a fault: try again later')
  else yield ok(`reach ${host}`, `answers in ${receivedAt - sentAt} ms`)
  if (headers.has('x-emulator'))
    yield warn(`emulator ${host}`, 'nothing is verified there', 'use the real service in production')
  yield checkClock(host, headers.get('date'), (sentAt + receivedAt) / 2)
}

function checkClock(host: string, date: string | null, nowMs: number): Finding {
  const check = `clock ${host}`
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return warn(check, 'its answer has no Date', 'compare this clock with another')
  // The header drops what is left of the second.
  const skew = Math.round((nowMs - theirs - 500) / 1000)
  const detail = `this clock is ${Math.abs(skew)} s ${skew < 0 ? 'behind' : 'ahead'}`
  const advice = 'set this clock by NTP'
  if (Math.abs(skew) > webhookToleranceSeconds) return fail(check, `${detail}: webhooks are refused`, advice)
  if (Math.abs(skew) > leewaySeconds) return warn(check, `${detail}: tokens may be refused`, advice)
  return ok(check, `${Math.abs(skew)} s apart`)
}

async function checkTls({ hostname, port, host }: URL, { now }: Surroundings): Promise<Finding> {
  const check = `tls ${host}`
  try {
    const { certificate, distrust } = await presented(hostname, Number(port || 443))
    const { issuer, valid_to: end } = certificate
    const days = Math.floor((Date.parse(end) - now().getTime()) / 86_400_000)
    const facts = `issued by ${issuer?.O ?? issuer?.CN ?? 'nobody named'}, ${days} days left`
    if (distrust !== undefined)
      return fail(
        check,
        `${facts}: ${distrust}`,
        'never turn the check off; add your own CA by NODE_EXTRA_CA_CERTS',
      )
    if (days < fewDays) return warn(check, facts, 'whoever runs the host has to renew the certificate')
    return ok(check, facts)
  } catch (error) {
    return fail(check, reasonOf(error), 'check the address and its port')
  }
}

/** The certificate of a host, and why it is not trusted, if it is not. Nothing is sent to it. */
function presented(hostname: string, port: number) {
  const host = hostname.replace(/^\[|\]$/g, '')
  return new Promise<{ certificate: PeerCertificate; distrust: string | undefined }>((resolve, reject) => {
    const socket = connect({
      host,
      port,
      ...(isIP(host) ? {} : { servername: host }),
      // What is not trusted is to be described.
      rejectUnauthorized: false,
      timeout: patienceMs,
    })
    socket.once('error', reject)
    socket.once('timeout', () => socket.destroy(new Error('no answer')))
    socket.once('secureConnect', () => {
      const { authorized, authorizationError: fault } = socket
      const certificate = socket.getPeerCertificate()
      socket.destroy()
      const distrust = authorized ? undefined : String((fault as NodeJS.ErrnoException)?.code ?? fault)
      resolve({ certificate, distrust })
    })
  })
}
