import type { EmulatorOptions } from '../../../src/emulator.ts'
import { inProcess } from '../support/service.ts'
import { receiver } from '../support/webhook-receivers.ts'

/** The console accepts requests to loopback hosts only. */
export const consoleOrigin = 'http://localhost'

/** Creates an emulator, with functions that read and submit pages of its console. */
export function withConsole(options: EmulatorOptions = {}) {
  const { received, deliver } = receiver()
  const service = inProcess({ webhooks: { deliver }, ...options })
  const send = (path: string, init: RequestInit = {}) =>
    service.emulator.fetch(new Request(`${consoleOrigin}/_emulator${path}`, { redirect: 'manual', ...init }))
  const read = async (path: string) => (await send(path)).text()
  const submit = (path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    send(path, { method: 'POST', body: new URLSearchParams(fields), headers })
  return { ...service, received, send, read, submit }
}
