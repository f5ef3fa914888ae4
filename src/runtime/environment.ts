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

/** Header of everything that an emulator of the service sends. */
export const emulatorHeader = 'x-emulator'

/** The secret with which an emulator signs webhooks by default. Everybody knows it. */
export const emulatorWebhookSecret = 'emulator_webhook_secret'

/** What to do if an emulator is meant in production. */
export const ifMeant = 'If an emulator is meant, set SVC_EMULATOR_ONLY=1.'

/**
 * Returns whether a message is from an emulator, although this is production and no setting names an emulator. It would
 * approve everybody.
 *
 * @param headers names are in lower case, as those of Node are
 */
export function rejectsEmulators(headers: object): boolean {
  const { get, [emulatorHeader]: plain } = headers as { get?: unknown; [emulatorHeader]?: unknown }
  const value = typeof get === 'function' ? (headers as Pick<Headers, 'get'>).get(emulatorHeader) : plain
  return (value ?? null) !== null && isWithoutEmulators()
}

/** Whether this is production, and no setting names an emulator. */
export const isWithoutEmulators = (): boolean =>
  environment('NODE_ENV') === 'production' &&
  environment('SVC_EMULATOR_HOST') === undefined &&
  environment('SVC_EMULATOR_ONLY') === undefined

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

/**
 * True in a process that is a server, also if it has a `window` and a `document` to render pages. Electron and NW.js have
 * pages.
 */
export function isServer(): boolean {
  const versions = globalThis.process?.versions
  return versions?.node !== undefined && !('electron' in versions) && !('nw' in versions) && !isTestRun()
}

export const isDeno = (): boolean => 'Deno' in globalThis

/**
 * The oldest Node of each line that the package supports, as `engines` in package.json says. Node 22.12 warns of an
 * experimental feature when CommonJS requires the package.
 */
const oldest: Readonly<Record<number, number>> = { 20: 19, 22: 13 }

/** What is wrong if the program runs on a Node that is too old, otherwise `undefined`. The version does not change. */
export const nodeVersionFault: string | undefined = /* @__PURE__ */ findFault()

function findFault(): string | undefined {
  if (!isNode()) return undefined
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  if (major > 22 || minor >= (oldest[major] ?? Number.POSITIVE_INFINITY)) return undefined
  return `Node 20.19, or 22.13 or newer, is required, this is ${node}`
}
