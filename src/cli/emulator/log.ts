import type { RecordedRequest } from 'identity-service-sdk/emulator'
import { eventIdHeader } from '../../contract/webhooks/headers.ts'
import { maskText } from '../../emulator/model/secrets.ts'
import { type Shell, styled } from '../shell.ts'

/** Prints a request that has ended on one line. */
export function printRequest(shell: Shell, { at, method, path, status, operation, requestId }: RecordedRequest): void {
  const shownPath = withoutPersonalData(path)
  if (shell.json) {
    const facts = { at, method, path: shownPath, status: status ?? null, operation: operation ?? null }
    shell.printJson({ ...facts, request_id: requestId, verified: false }, { singleLine: true })
    return
  }
  shell.print(`[nothing verified] ${at} ${method} ${shownPath} `, resultOf(status), ` ${operation ?? '-'} ${requestId}`)
}

type Report = (shell: Shell, delivery: Request, status: number | undefined) => void

/** Sends deliveries, and reports each one, so that you see if your app rejects them or cannot be reached. */
export const deliverAndReport =
  (shell: Shell, report: Report): typeof globalThis.fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    try {
      const response = await globalThis.fetch(request)
      report(shell, request, response.status)
      return response
    } catch (error) {
      report(shell, request, undefined)
      throw error
    }
  }

export const printDelivery: Report = (shell, delivery, status) => {
  const { at, webhook, eventId } = factsOf(shell, delivery)
  if (shell.json) {
    const facts = { at, webhook, status: status ?? null, event_id: eventId }
    shell.printJson({ ...facts, verified: false }, { singleLine: true })
    return
  }
  shell.print(`[nothing verified] ${at} webhook ${webhook} `, resultOf(status), ` ${eventId ?? '-'}`)
}

/** Prints a delivery to stderr if it failed, because stdout is the app's. */
export const logFailedDelivery: Report = (shell, delivery, status) => {
  if (status !== undefined && status >= 200 && status < 300) return
  const { webhook, eventId } = factsOf(shell, delivery)
  shell.log(`[nothing verified] webhook ${webhook} `, resultOf(status), ` ${eventId ?? '-'}`)
}

function factsOf(shell: Shell, { url, headers }: Request) {
  const at = shell.context.now().toISOString()
  const { origin, pathname } = new URL(url)
  return { at, webhook: origin + withoutPersonalData(pathname), eventId: headers.get(eventIdHeader) }
}

const resultOf = (status: number | undefined) =>
  styled(status !== undefined && status < 400 ? 'green' : 'red', String(status ?? 'no response'))

/** A query may contain codes and references of people, and a path a member's email or an activation token. */
const withoutPersonalData = (path: string) =>
  maskText(path)
    .replace(/\?.*$/s, '')
    .split('/')
    .map((part) => (/@|%40/.test(part) ? '[email]' : part))
    .join('/')
