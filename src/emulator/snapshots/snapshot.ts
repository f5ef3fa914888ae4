import type { EmulatorSettings } from '../options/options.ts'
import type { RequestFeed } from '../state/request-log.ts'
import { ServiceState } from '../state/service-state.ts'
import { SigningKeys } from '../state/signing-keys.ts'
import { anyObject, list, number, object, partOf, rejectPart, type Shape, shape } from './shapes.ts'
import { stateShape } from './state-shape.ts'
import { readTagged, writeTagged } from './tagged-json.ts'

/** The version of snapshots that this package writes and reads. */
const version = 1

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
}

/** Takes a snapshot. Generates a signing key if there is none, so that restored emulators have the same key. */
export async function takeSnapshot(state: ServiceState): Promise<EmulatorSnapshot> {
  const signingKeys = await state.signingKeys.save()
  const takenAt = state.clock.now().toISOString()
  return { version, takenAt, signingKeys, state: writeTagged({ ...state.save() }) }
}

/**
 * Builds the state of a snapshot.
 *
 * @throws {EmulatorError} the value is not a snapshot of this version
 */
export async function stateFrom(
  snapshot: unknown,
  settings: EmulatorSettings,
  requestFeed: RequestFeed,
): Promise<ServiceState> {
  const { takenAt, signingKeys, state } = partOf(snapshotShape, snapshot, 'the value')
  const saved = partOf(stateShape, readTagged(state, 'state'), 'state')
  const keys = await SigningKeys.restore(signingKeys).catch((error: unknown) =>
    rejectPart('signingKeys', 'private RSA keys as JWK', error),
  )
  const persistent = { signingKeys: keys, requestFeed }
  return new ServiceState(settings, persistent, { ...saved, now: new Date(takenAt) })
}

const isoTime = shape<string>('a time in ISO 8601', (part) => !Number.isNaN(Date.parse(String(part))))

const snapshotShape: Shape<EmulatorSnapshot> = (value, path) => {
  const found = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined
  if (typeof found !== 'number') rejectPart(path, 'what emulator.snapshot() returned')
  if (found !== version)
    rejectPart(
      path,
      `a snapshot of version ${version}, not ${found}. Take a new one with this version of the package`,
    )
  object<EmulatorSnapshot>({
    version: number,
    takenAt: isoTime,
    signingKeys: list(anyObject()),
    state: anyObject(),
  })(value, 'snapshot')
}
