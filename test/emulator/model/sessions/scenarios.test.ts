import { expect, it } from 'vitest'
import { createEmulator } from '../../../../src/emulator.ts'
import { VerificationClient } from '../../../../src/index.ts'

/** Creates a session with `vendor_data`, and returns what is then known about it. */
async function sessionWith(vendor_data: string) {
  const received: string[] = []
  const callback = 'https://app.example.test/webhooks'
  const emulator = createEmulator({
    workflows: [{ id: 'wf_1', name: 'Identity', features: ['id_verification', 'liveness', 'face_match'] }],
    webhooks: {
      destinations: [callback],
      deliver: async (...given) => {
        received.push(JSON.parse(await new Request(...given).text()).type)
        return new Response()
      },
    },
  })
  const client = new VerificationClient(emulator.options.verification)
  const created = await client.sessions.create({ workflow_id: 'wf_1', vendor_data, callback })
  const { status } = await client.sessions.retrieve(created.session_id)
  const { checks } = await client.sessions.decision(created.session_id)
  await emulator.webhooks.settled()
  const failed = checks.filter((check) => check.status === 'failed').map(({ type }) => type)
  return { created: created.status, status, failed, received }
}

it.each([
  ['emu:approved', 'APPROVED', [], 'verification.approved'],
  ['emu:declined', 'DECLINED', ['id_verification'], 'verification.declined'],
  ['emu:declined:face_match', 'DECLINED', ['face_match'], 'verification.declined'],
  ['emu:review', 'IN_REVIEW', [], 'verification.in_review'],
  ['emu:abandoned', 'ABANDONED', [], 'verification.abandoned'],
  ['emu:expired', 'EXPIRED', [], 'verification.expired'],
])('a session with vendor_data %s ends as %s by itself, and sends its webhook', async (name, status, failed, type) => {
  expect(await sessionWith(name)).toEqual({ created: 'NOT_STARTED', status, failed, received: [type] })
})

it.each(['emu:', 'emu:constructor', 'emu:declined:age', 'emu:declined:', ' emu:review', 'EMU:REVIEW', 'user-42'])(
  'a session with vendor_data %o waits for the person',
  async (name) => {
    expect(await sessionWith(name)).toMatchObject({ status: 'NOT_STARTED', received: [] })
  },
)
