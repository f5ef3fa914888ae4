/** Returns an environment variable, or `undefined` if it is empty or cannot be read. */
export const environment = (name: string): string | undefined => {
  try {
    return globalThis.process?.env?.[name] || undefined
  } catch {
    // Deno throws without the permission.
    return undefined
  }
}

/** True if a test runner started this process: Vitest, Jest, `node --test`, or another one with `NODE_ENV=test`. */
export const isTestRun = (): boolean =>
  environment('NODE_ENV') === 'test' ||
  ['VITEST', 'JEST_WORKER_ID', 'NODE_TEST_CONTEXT'].some((name) => environment(name) !== undefined)

interface Globals {
  readonly process?: NodeJS.Process
  readonly navigator?: { readonly userAgent?: string }
}

/** True on Node. Bun, Deno and Workers may have its `process` too, but not what undici needs. */
export function isNode(): boolean {
  const { process, navigator } = globalThis as Globals
  const versions = process?.versions
  if (versions?.node === undefined || 'bun' in versions || 'deno' in versions) return false
  return navigator?.userAgent !== 'Cloudflare-Workers'
}

export const isDeno = (): boolean => 'Deno' in globalThis

/** The oldest Node that the package supports, as `engines` in package.json says. */
const oldest = { major: 20, minor: 19 }

/** What is wrong if the program runs on a Node that is too old, otherwise `undefined`. The version does not change. */
export const nodeVersionFault: string | undefined = /* @__PURE__ */ findFault()

function findFault(): string | undefined {
  if (!isNode()) return undefined
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) return undefined
  return `Node ${oldest.major}.${oldest.minor} or newer is required, this is ${node}`
}
