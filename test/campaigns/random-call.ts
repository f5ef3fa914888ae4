import { Readable } from 'node:stream'
import type { OrgClient, RequestOptions, VerificationClient } from '../../src/index.ts'
import { images } from '../support/fixtures.ts'
import { oneOf } from './random-stream.ts'

export interface Clients {
  readonly verification: VerificationClient
  readonly org: OrgClient
}

type Send = (clients: Clients, options: RequestOptions) => PromiseLike<unknown>

/** One logical call, which can be sent again with the same params. */
export interface RandomCall {
  readonly operation: string
  readonly isBillable: boolean
  readonly send: Send
}

const check = (operation: string, send: Send): RandomCall => ({ operation, isBillable: true, send })
const other = (operation: string, send: Send): RandomCall => ({ operation, isBillable: false, send })

/** Identifies the sessions that one call has created. */
export const vendorData = (number: number) => `call ${number}`

export function randomCall(number: number, random: () => number): RandomCall {
  const length = random() < 0.03 ? 300_000 : Math.ceil(random() * 5000)
  const image = () => Buffer.concat([images.jpeg, Buffer.alloc(length, number % 251)])
  const dob = `${1950 + (number % 60)}-01-01`
  const license = { license_state: 'CA', license_type: 'Registered Nurse', license_number: 'RN-482913' }
  return oneOf<() => RandomCall>(
    [
      () => check('age', ({ verification }, o) => verification.checks.age({ dob, bands: [18, 21] }, o)),
      () =>
        check('location', ({ verification }, o) =>
          verification.checks.location({ latitude: number % 90, longitude: 1 }, o),
        ),
      () =>
        check('credential', ({ verification }, o) =>
          verification.checks.credential({ ...license, full_name: 'Alex Sample' }, o),
        ),
      () => check('liveness', ({ verification }, o) => verification.checks.liveness({ image: image() }, o)),
      () =>
        check('liveness in JSON', ({ verification }, o) =>
          verification.checks.liveness({ image: image() }, { ...o, encoding: 'json' }),
        ),
      () =>
        check('liveness of a stream', ({ verification }, o) =>
          verification.checks.liveness({ image: Readable.from([image(), image()]) }, o),
        ),
      () =>
        check('liveness of streams', ({ verification }, o) =>
          verification.checks.liveness({ image: () => Readable.from([image(), image()]) }, o),
        ),
      () =>
        check('face match', ({ verification }, o) =>
          verification.checks.faceMatch({ image1: image(), image2: image() }, o),
        ),
      () => check('ID', ({ verification }, o) => verification.checks.idVerification({ front_image: image() }, o)),
      () =>
        check('ID and license', ({ verification }, o) =>
          verification.checks.kycCredential({ front_image: image(), selfie: image(), ...license }, o),
        ),
      () =>
        other('session creation', ({ verification }, o) =>
          verification.sessions.create({ vendor_data: vendorData(number) }, o),
        ),
      () =>
        other('session creation', ({ verification }, o) =>
          verification.sessions.create({ vendor_data: vendorData(number) }, o),
        ),
      () =>
        other('list of sessions', ({ verification }, o) =>
          verification.sessions.list({ vendor_data: vendorData(number), limit: 1 }, o),
        ),
      () => other('list of members', ({ org }, o) => org.members.list({}, o)),
      () => other('removal of a member', ({ org }, o) => org.members.remove('unknown@example.test', undefined, o)),
    ],
    random,
  )()
}
