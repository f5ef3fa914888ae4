// What the emulator contains for the examples in docstrings, which use these ids. This file imports nothing, because
// the examples run in a project of their own.

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
