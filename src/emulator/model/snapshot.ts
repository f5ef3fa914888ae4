import { EmulatorError } from '../../errors/sdk-error.ts'
import { encodeUtf8 } from '../../runtime/bytes.ts'
import { toHex } from '../../runtime/crypto.ts'
import type { EmulatorSettings } from './options/options.ts'
import { type SavedState, ServiceState } from './service-state.ts'
import { SigningKeys } from './sign-in/signing-keys.ts'

/** The version of snapshots that this package writes and reads. It changes if the saved form of any part does. */
const version = 3

/** The whole state of an emulator as JSON. It contains tokens and private signing keys of the emulator. */
export interface EmulatorSnapshot {
  /** Version of the form. A snapshot of another version is rejected. */
  readonly version: number
  /** Time of the emulator when the snapshot was taken (ISO 8601). */
  readonly takenAt: string
  /** The private keys that sign tokens, as JWK. */
  readonly signingKeys: readonly object[]
  /** Everything else. Its form belongs to the version: to read it, restore it. */
  readonly state: object
  /** SHA-256 of the rest. A snapshot that was changed is rejected, because its parts belong together. */
  readonly digest: string
}

/** Takes a snapshot. Generates a signing key if there is none, so that restored emulators have the same key. */
export async function takeSnapshot(state: ServiceState): Promise<EmulatorSnapshot> {
  const signingKeys = await state.signingKeys.save()
  const takenAt = state.clock.now().toISOString()
  const content = { version, takenAt, signingKeys, state: writeTagged({ ...state.save() }) }
  return { ...content, digest: await digestOf(content) }
}

/**
 * Builds the state of a snapshot. Only the digest is checked, because nothing but an emulator writes snapshots.
 *
 * @throws {EmulatorError} the value is not a snapshot of this version, or was changed
 */
export async function stateFrom(snapshot: unknown, settings: EmulatorSettings): Promise<ServiceState> {
  const { digest, ...content } = Object(snapshot) as EmulatorSnapshot
  if (typeof content.version !== 'number') reject('the value must be what emulator.snapshot() returned')
  if (content.version !== version)
    reject(`the snapshot has version ${content.version}, and this package reads version ${version}. Take a new one`)
  if (digest !== (await digestOf(content)))
    reject('the snapshot was changed after it was taken, or only a part of it was kept')
  const saved = readTagged(content.state) as SavedState
  const signingKeys = await SigningKeys.restore(content.signingKeys)
  return new ServiceState(settings, signingKeys, { ...saved, now: new Date(content.takenAt) })
}

function reject(reason: string): never {
  throw new EmulatorError({ message: `emulator.restore: ${reason}. Nothing was changed` })
}

/** Returns the SHA-256. It does not depend on the order of members, which databases and other languages change. */
async function digestOf(content: Omit<EmulatorSnapshot, 'digest'>): Promise<string> {
  const text = JSON.stringify(content, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', encodeUtf8(text))))
}

/** Reads what JSON lacks: an object with a tag as its only member. */
const tags: Readonly<Record<string, (content: never) => unknown>> = {
  $undefined: () => undefined,
  $number: (content: string) => Number(content),
  $date: (content: string) => new Date(content),
  $set: (content: readonly unknown[]) => new Set(content),
  $map: (content: readonly [string, unknown][]) => new Map(content),
  $object: (content: readonly [string, unknown][]) => Object.fromEntries(content),
}

/**
 * Returns a value as JSON. Dates, maps with texts as keys, sets, `undefined` and numbers that are not finite are
 * tagged. Other values that JSON lacks, such as functions, become `undefined`, because responses lack them too.
 */
function writeTagged(value: object): object
function writeTagged(value: unknown): unknown
function writeTagged(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : { $number: String(value) }
  if (typeof value !== 'object') return { $undefined: true }
  if (Array.isArray(value)) return value.map(writeTagged)
  if (value instanceof Date) return { $date: value.toJSON() }
  if (value instanceof Set) return { $set: [...value].map(writeTagged) }
  if (value instanceof Map) return { $map: [...value].map(writeTagged) }
  const entries = Object.entries(value).map(([name, member]) => [name, writeTagged(member)] as const)
  // A member of a request could otherwise be read as a tag.
  return entries.some(([name]) => name.startsWith('$')) ? { $object: entries } : Object.fromEntries(entries)
}

/** Returns the value that {@link writeTagged} has written. */
function readTagged(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json
  if (Array.isArray(json)) return json.map(readTagged)
  const entries = Object.entries(json).map(([name, part]) => [name, readTagged(part)] as const)
  const [[tag = '', content] = []] = entries
  const read = Object.hasOwn(tags, tag) ? tags[tag] : undefined
  return read === undefined ? Object.fromEntries(entries) : read(content as never)
}
