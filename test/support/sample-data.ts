// What the emulator contains in tests that call every operation and every example. The samples of requests, and the
// examples in docstrings, use these ids. This file imports nothing, because the examples run in a project of their own.

const license = {
  license_state: 'CA',
  provider_code: 'EMU-CA-NURSING',
  license_type: 'Registered Nurse',
} as const

/** Options of the emulator. */
export const sampleData = {
  workflows: [
    { id: 'wf_1', name: 'Identity', features: ['id_verification', 'liveness', 'face_match'] },
    { id: 'wf_identity', name: 'Identity', features: ['liveness'] },
  ],
  members: [
    { email: 'ada@example.com', status: 'active' },
    { email: 'bo@example.com', status: 'link_sent' },
  ],
  licenses: [
    { ...license, license_number: 'A-12345', holder: 'Ada Lovelace' },
    { ...license, license_number: 'RN-12', holder: 'Ada Lovelace' },
    { ...license, license_number: 'RN-1', holder: 'Alex Sample' },
  ],
} as const

/** The id for each placeholder in the path of an endpoint. Sessions and faces get their ids from the emulator. */
export const sampleIds: Readonly<Record<string, string>> = {
  workflow: 'wf_1',
  state: 'CA',
  member_id: 'bo@example.com',
}
