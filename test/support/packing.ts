import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Responds to GET with the path of the tarball that `npm publish` would publish. */
    readonly packingUrl: string
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Packs the package once for all test files of a run, when the first of them needs it, because packing takes seconds.
 * With `TARBALL`, the tests use that file.
 */
export default async function packing({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'packed-'))
  let tarball: Promise<string> | undefined
  const server = createServer((_, response) => {
    tarball ??= process.env.TARBALL ? Promise.resolve(process.env.TARBALL) : pack(folder)
    tarball.then(
      (path) => response.end(path),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  provide('packingUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function pack(folder: string): Promise<string> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root })
  const packed = JSON.parse(stdout) as { filename: string }[] | Record<string, { filename: string }>
  const [{ filename } = { filename: '' }] = Object.values(packed)
  if (!filename) throw new Error('npm pack created no tarball')
  return join(folder, filename)
}
