import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { emulated } from './emulated.ts'
import { startProgram } from './program.ts'

describe('examples/roster', () => {
  const service = emulated({
    members: [
      { email: 'here@example.com' },
      { email: 'gone@example.com', status: 'deactivated' },
      { email: 'slow@example.com', status: 'link_sent' },
    ],
  })
  const { emulator } = service

  async function importing(rows: readonly string[]) {
    const folder = await mkdtemp(join(tmpdir(), 'roster-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'people.csv')
    await writeFile(file, ['email,first_name,last_name', ...rows].join('\n'))
    return startProgram('roster', ['node', '--import', 'tsx', 'import.ts', file], service.settings)
  }

  const emails = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `person${from + i}@example.com,Person,${from + i}`)

  it('prints the outcome of each row', async () => {
    const rows = ['new@example.com,Ne,W', 'here@example.com,,', 'gone@example.com,,', 'invalid,No,Address']
    const program = await importing(rows)

    expect(await program.ended).toBe(1)
    expect(program.output()).toMatch(/^added\tnew@example\.com\tlink_sent$/m)
    expect(program.output()).toMatch(/^skipped\there@example\.com\tduplicate$/m)
    expect(program.output()).toMatch(/^reactivated\tgone@example\.com\t/m)
    expect(program.output()).toMatch(/^failed\tinvalid\tno email address$/m)
    expect(program.output()).toContain('{ added: 1, reactivated: 1, skipped: 1, failed: 1 }')
  })

  it('continues after a call that failed, and a second run adds the rest', async () => {
    emulator.faults.add({ match: 'members.add', status: 503 })
    const first = await importing(emails(0, 1200))
    expect(await first.ended).toBe(1)
    expect(first.output()).toContain('{ added: 700, reactivated: 0, skipped: 0, failed: 500 }')
    const { requestId } = emulator.requests.find(({ status }) => status === 503) ?? {}
    expect(first.output()).toMatch(new RegExp(`^failed\tperson0@example\\.com\t\\S+ ${requestId}$`, 'm'))

    const second = await importing(emails(0, 1200))
    expect(await second.ended).toBe(0)
    expect(second.output()).toContain('{ added: 500, reactivated: 0, skipped: 700, failed: 0 }')
  })

  it('stops on SIGTERM and reports that some people were not added', async () => {
    emulator.faults.add({ match: 'members.add', delayMs: 300, times: Number.POSITIVE_INFINITY })
    const program = await importing(emails(0, 5000))
    await program.printed(/^added\tperson499@/m)

    expect(await program.end('SIGTERM')).toBe(1)
    expect(program.output()).toContain('run it again')
    expect(program.output()).not.toContain('person4999@')
  })

  it('reports a file that it cannot read', async () => {
    const program = startProgram(
      'roster',
      ['node', '--import', 'tsx', 'import.ts', 'nothing.csv'],
      service.settings,
    )

    expect(await program.ended).toBe(1)
    expect(program.output()).toMatch(/ENOENT.*nothing\.csv/)
  })

  it('resends the invites of members who have not activated', async () => {
    const program = startProgram('roster', ['node', '--import', 'tsx', 'resend-invites.ts'], service.settings)

    expect(await program.ended).toBe(0)
    expect(program.output().match(/^invited\tvmem_\w+/gm)).toHaveLength(1)
    expect(emulator.requests.filter(({ path }) => path.endsWith('/invite'))).toHaveLength(1)
  })
})
