import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { documentedCode } from '../support/documented-code.ts'
import { aSession } from '../support/fixtures.ts'
import { loopbackServer, success } from '../support/loopback-server.ts'

const guide = documentedCode('docs/guides/typescript.md')
const { emulator } = guide
const page = readFileSync('docs/guides/typescript.md', 'utf8')

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

it('Biome reports a call without await, with the rule and the group that the page names', async () => {
  const [rule = ''] = /\bnoFloatingPromises\b/.exec(page) ?? []
  const [, group = ''] = /`noFloatingPromises`, in the group `(\w+)`/.exec(page) ?? []
  const program = `
    import { createVerificationManager, memoryStore, VerificationClient, verifyWebhook } from 'identity-service-sdk'

    const client = new VerificationClient()
    const session = { workflow_id: 'wf_identity' }
    const verifications = createVerificationManager({ client, store: memoryStore(), session })

    export function page() {
      verifications.ensureApproved('user-42')
      verifyWebhook({ body: '', headers: {} })
      return 'Wine'
    }`
  const { project } = guide.installed
  await writeFile(join(project, 'page.ts'), program)
  await writeFile(join(project, 'biome.json'), '{ "root": true }')

  const biome = fileURLToPath(new URL('../../node_modules/.bin/biome', import.meta.url))
  const { stdout, stderr } = spawnSync(biome, ['lint', `--only=${group}/${rule}`, 'page.ts'], { cwd: project })

  expect(`${stdout}${stderr}`.match(/^page\.ts:\d+/gm)).toEqual(['page.ts:9', 'page.ts:10'])
})

it('a field that the contract does not list is read', async () => {
  const server = await loopbackServer(success(aSession({ workflow_id: 'wf_identity' })))
  const env = { SVC_BASE_URL: server.url }

  expect(await guide.run('Fields that are not listed', { env })).toBe('wf_identity\n')
})
