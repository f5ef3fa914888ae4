import { EmulatorError } from '../../../errors/sdk-error.ts'
import { hmacSha256Hex } from '../../../runtime/crypto.ts'
import { readFields } from '../options/fields.ts'
import type { EmulatorSettings } from '../options/options.ts'
import { DamagedPart } from '../saved.ts'
import { type SavedState, ServiceState } from '../service-state.ts'
import { SigningKeys } from '../sign-in/signing-keys.ts'
import { savedSnapshot } from './saved-state.ts'
import { readTagged, writeTagged } from './tagged-json.ts'

/** The version of snapshots that this package writes and reads. It changes if the saved form of any part does. */
const version = 2

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
  /** Hash of the rest. A snapshot that was changed is rejected, because its parts belong together. */
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
 * Builds the state of a snapshot.
 *
 * @throws {EmulatorError} the value is not a snapshot of this version
 */
export async function stateFrom(snapshot: unknown, settings: EmulatorSettings): Promise<ServiceState> {
  const { digest, ...content } = Object(snapshot) as EmulatorSnapshot
  if (typeof content.version !== 'number') reject('the value must be what emulator.snapshot() returned')
  if (content.version !== version)
    reject(`the snapshot has version ${content.version}, and this package reads version ${version}. Take a new one`)
  try {
    if (digest === (await digestOf(content))) {
      const saved = readTagged(content.state, ['state']) as SavedState
      const { takenAt, signingKeys } = readFields(
        savedSnapshot,
        { ...content, state: saved },
        { name: 'it', fail: (problem) => new DamagedPart(problem) },
      )
      // The state is used as it was read, because a copy lacks members that look like prototypes.
      const now = new Date(takenAt)
      return new ServiceState(settings, await SigningKeys.restore(signingKeys), { ...saved, now })
    }
  } catch (error) {
    // The digest is right, and the content is not: a program has made it.
    const place = error instanceof DamagedPart ? `: ${error.message}` : ''
    reject(`the snapshot is damaged${place}`, error)
  }
  reject('the snapshot was changed after it was taken, or only a part of it was kept')
}

function reject(reason: string, cause?: unknown): never {
  throw new EmulatorError({ message: `emulator.restore: ${reason}. Nothing was changed`, cause })
}

/** Does not depend on the order of members, which databases and other languages change. */
const digestOf = (content: Omit<EmulatorSnapshot, 'digest'>) =>
  hmacSha256Hex(
    'emulator snapshot',
    '',
    JSON.stringify(content, (_, part) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    ),
  )
