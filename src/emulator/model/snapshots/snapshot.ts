import { EmulatorError } from '../../../errors/sdk-error.ts'
import { encodeUtf8 } from '../../../runtime/bytes.ts'
import { toHex } from '../../../runtime/crypto.ts'
import type { EmulatorSettings } from '../options/options.ts'
import { type SavedState, ServiceState } from '../service-state.ts'
import { SigningKeys } from '../sign-in/signing-keys.ts'
import { readTagged, writeTagged } from './tagged-json.ts'

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
