import { expect } from 'vitest'
import type { Operation, SentFile } from './operations.ts'

type SentOperation = Pick<Operation, 'method' | 'path' | 'query' | 'json'> &
  Partial<Pick<Operation, 'form' | 'billable'>>

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/

/** Compares a whole request with what the contract requires for an operation, below the path `/gateway`. */
export async function expectSent(
  request: Request,
  operation: SentOperation,
  credentials: Readonly<Record<string, string>>,
): Promise<void> {
  const url = new URL(request.url)
  const { headers } = request
  expect(`${request.method} ${url.pathname}`).toBe(`${operation.method} /gateway${operation.path}`)
  const query = Object.entries(operation.query ?? {})
  expect([...url.searchParams]).toEqual(query.map(([name, value]) => [name, String(value)]))
  for (const name of ['x-api-key', 'x-client-id', 'x-client-secret', 'authorization'])
    expect(headers.get(name)).toBe(credentials[name] ?? null)
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
