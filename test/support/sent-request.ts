import { expect } from 'vitest'
import type { Operation, SentFile } from './operations.ts'
import { apiKey } from './verification-client.ts'

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/

/** Compares a whole request with what the contract requires for an operation. */
export async function expectSent(request: Request, operation: Operation, prefix = ''): Promise<void> {
  const url = new URL(request.url)
  const { headers } = request
  expect(`${request.method} ${url.pathname}`).toBe(`${operation.method} ${prefix}${operation.path}`)
  const query = Object.entries(operation.query ?? {})
  expect([...url.searchParams]).toEqual(query.map(([name, value]) => [name, String(value)]))
  expect(headers.get('x-api-key')).toBe(apiKey)
  expect(headers.get('authorization')).toBeNull()
  expect(headers.get('accept')).toBe('application/json')
  expect(headers.get('user-agent')).toMatch(/^identity-service-sdk\/\d/)
  expect(headers.get('idempotency-key')).toEqual(operation.billable ? expect.stringMatching(uuid) : null)
  if (operation.form) {
    expect(headers.get('content-type')).toMatch(/^multipart\/form-data; boundary=[\da-f]{64}$/)
    expect(await formOf(request)).toEqual(operation.form)
  } else if (operation.json) {
    expect(headers.get('content-type')).toBe('application/json')
    expect(await request.json()).toEqual(operation.json)
  } else {
    expect(headers.get('content-type')).toBeNull()
    expect(await request.text()).toBe('')
  }
}

/** The parts of a multipart request. */
export async function formOf(request: Request): Promise<Record<string, string | SentFile>> {
  const parts: Record<string, string | SentFile> = {}
  for (const [name, part] of await request.formData()) {
    expect(parts, 'no two parts have the same name').not.toHaveProperty(name)
    parts[name] = typeof part === 'string' ? part : await fileOf(part)
  }
  return parts
}

const fileOf = async (part: File): Promise<SentFile> => ({
  filename: part.name,
  type: part.type,
  bytes: new Uint8Array(await part.arrayBuffer()),
})
