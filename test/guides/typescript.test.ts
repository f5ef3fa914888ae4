import { expect, it } from 'vitest'
import type { VerificationClient } from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'
import { aSession } from '../support/fixtures.ts'
import { loopbackServer, success } from '../support/loopback-server.ts'

const guide = documentedCode('docs/guides/typescript.md')
const { emulator } = guide

it('a value that is not listed is compared as a string', async () => {
  const { isSuspended } = await guide.load<{ isSuspended(session: object): boolean }>('Open values')

  expect(['SUSPENDED', 'IN_PROGRESS'].map((status) => isSuspended({ status }))).toEqual([true, false])
})

it('a status from a form is looked up before it is sent', async () => {
  const { search } = await guide.load<{ search(text: string): Promise<unknown[]> }>('Open values 2')

  await expect(search('NO_STATUS')).rejects.toThrow('unknown status: NO_STATUS')
})

it('the data of a check has the type of its check', async () => {
  const id = await guide.aSession()
  await emulator.sessions.complete(id, 'APPROVED')

  const { ageOf } = await guide.load<{ ageOf(id: string): Promise<string> }>('Narrow a result')

  expect(await ageOf(id)).toMatch(/^\d{4}-\d\d-\d\d$/)
})

it('a field that the contract does not list is read', async () => {
  const server = await loopbackServer(success(aSession({ workflow_id: 'wf_identity' })))
  const env = { SVC_BASE_URL: server.url }

  expect(await guide.run('Fields that are not listed', { env })).toBe('wf_identity\n')
})

it('a fake is an object literal', async () => {
  type Sessions = Pick<VerificationClient['sessions'], 'decision'>
  const { isApproved, fake } = await guide.load<{
    fake: Sessions
    isApproved(sessions: Sessions, id: string): Promise<boolean>
  }>('Fakes in tests')

  expect(await isApproved(fake, 'sess_1')).toBe(true)
})
