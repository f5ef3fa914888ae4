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

/** Sends deliveries, and prints each one, so that you see if your app rejects them or cannot be reached. */
export const deliverAndPrint =
  (shell: Shell): typeof globalThis.fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    const print = (status?: number) => printDelivery(shell, request, status)
    try {
      const response = await globalThis.fetch(request)
      print(response.status)
      return response
    } catch (error) {
      print()
      throw error
    }
  }

function printDelivery(shell: Shell, { url, headers }: Request, status: number | undefined): void {
  const at = shell.context.now().toISOString()
  const { origin, pathname } = new URL(url)
  const webhook = origin + withoutPersonalData(pathname)
  const eventId = headers.get(eventIdHeader)
  if (shell.json) {
    const facts = { at, webhook, status: status ?? null, event_id: eventId }
    shell.printJson({ ...facts, verified: false }, { singleLine: true })
    return
  }
  shell.print(`[nothing verified] ${at} webhook ${webhook} `, resultOf(status), ` ${eventId ?? '-'}`)
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
