import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'

/**
 * A folder for the tests of one file. It is made when the first of them runs, and not when the file is read: where
 * none runs, nothing would take it away.
 *
 * @returns its path
 */
export function temporaryFolder(): string {
  const folder = join(tmpdir(), `sdk-${randomUUID()}`)
  beforeAll(() => void mkdirSync(folder))
  afterAll(() => rmSync(folder, { recursive: true }))
  return folder
}
