import { execFile } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../support/free-port.ts'
import { requireBinary } from '../support/programs.ts'
import { type Service, startService } from '../support/service-process.ts'
import type { TestProject } from './test-project.ts'

/** A bundle with its files and the imports that remain in it, as esbuild reports them. */
export interface Bundle {
  readonly file: string
  readonly files: readonly string[]
  readonly imports: readonly { readonly path: string; readonly kind: string }[]
}

/**
 * Bundles a file of the project as wrangler bundles a Worker.
 *
 * @param source the content of the file, if it does not exist yet
 */
export async function bundleForWorkers(
  { folder: project }: TestProject,
  entry: string,
  source?: string,
): Promise<Bundle> {
  if (source !== undefined) await writeFile(join(project, entry), source)
  const file = `${entry}.bundle.js`
  const args = [
    entry,
    '--bundle',
    '--format=esm',
    '--platform=browser',
    '--conditions=workerd,worker,browser',
    '--target=es2022',
    '--external:cloudflare:*',
    '--external:node:*',
    `--outfile=${file}`,
    '--metafile=meta.json',
    '--log-level=warning',
  ]
  await promisify(execFile)(requireBinary('esbuild'), args, { cwd: project })
  const meta = JSON.parse(await readFile(join(project, 'meta.json'), 'utf8')) as {
    inputs: Record<string, unknown>
    outputs: Record<string, { imports: Bundle['imports'] }>
  }
  const [output] = Object.values(meta.outputs)
  return { file: join(project, file), files: Object.keys(meta.inputs), imports: output?.imports ?? [] }
}

/** A date that the binary supports. */
const newestDate = '2026-11-01'

/** Runs a bundle as a Worker on a free port. */
export async function startWorker(
  { settings }: TestProject,
  bundle: Bundle,
  flags: readonly string[],
  compatibilityDate = newestDate,
): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'workerd-'))
  const port = await freePort()
  await writeFile(join(folder, 'worker.js'), await readFile(bundle.file))
  await writeFile(join(folder, 'settings.json'), JSON.stringify(settings))
  await writeFile(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
     const config :Workerd.Config = (
       services = [
         (name = "main", worker = .worker),
         (name = "internet", network = (allow = ["127.0.0.1/8"])),
       ],
       sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
     );
     const worker :Workerd.Worker = (
       modules = [(name = "worker.js", esModule = embed "worker.js")],
       bindings = [(name = "SETTINGS", json = embed "settings.json")],
       compatibilityDate = "${compatibilityDate}",
       compatibilityFlags = ${JSON.stringify(flags)},
     );`,
  )
  const url = `http://127.0.0.1:${port}`
  return startService({
    command: requireBinary('workerd'),
    args: ['serve', 'config.capnp'],
    port,
    url,
    folder,
    ready: async () => {
      const { status } = await fetch(`${url}/ready`)
      if (status !== 204) throw new Error(`the Worker responds with ${status}`)
    },
  })
}
