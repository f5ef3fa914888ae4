import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'

/**
 * A folder for the tests of one file. It is created when the first test runs, and not when the file is loaded, because
 * nothing would remove it if no test runs.
 *
 * @returns its path
 */
export function temporaryFolder(): string {
  const folder = join(tmpdir(), `sdk-${randomUUID()}`)
  beforeAll(() => void mkdirSync(folder))
  afterAll(() => rmSync(folder, { recursive: true }))
  return folder
}
