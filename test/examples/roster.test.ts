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

  async function syncing(rows: readonly string[], ...args: readonly string[]) {
    const folder = await mkdtemp(join(tmpdir(), 'roster-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'people.csv')
    await writeFile(file, ['email,first_name,last_name', 'slow@example.com,,', ...rows].join('\n'))
    return startProgram('roster', ['node', '--import', 'tsx', 'sync.ts', file, ...args], service.settings)
  }

  const emails = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `person${from + i}@example.com,Person,${from + i}`)

  it('prints the outcome of each change', async () => {
    const rows = [
      'new@example.com,Ne,W',
      'gone@example.com,,',
      'invalid old@example.org,No,Address',
      'two@example.com,,',
    ]
    const program = await syncing([...rows, 'TWO@example.com,,'], '--max-removals', '1')

    expect(await program.ended).toBe(1)
    expect(program.output()).toMatch(
      /^conflict\tinvalid old@example\.org\nconflict\ttwo@example\.com\nconflict\tTWO@example\.com$/m,
    )
    expect(program.output()).toMatch(/^add\tnew@example\.com\tlink_sent$/m)
    expect(program.output()).toMatch(/^reactivate\tgone@example\.com\tactive$/m)
    expect(program.output()).toMatch(/^remove\there@example\.com\tdeactivated$/m)
    expect(program.output()).toContain('\n1 unchanged\n')
  })

  it('removes nobody without --max-removals', async () => {
    const program = await syncing([])
    expect(await program.ended).toBe(1)
    expect(program.output()).toContain('removes 1 members, and maxRemovals is 0')
    expect(emulator.requests.map(({ operation }) => operation)).toEqual(['members.list'])
  })

  it('continues after a call that failed, and a second run makes what is left', async () => {
    const rows = ['here@example.com,,', ...emails(0, 700)]
    emulator.faults.add({ match: 'members.add', status: 503 })
    const first = await syncing(rows)
    expect(await first.ended).toBe(1)
    expect(first.output().match(/^add\t\S+\tlink_sent$/gm)).toHaveLength(200)
    const { requestId } = emulator.requests.find(({ status }) => status === 503) ?? {}
    expect(first.output()).toMatch(new RegExp(`^add\tperson0@example\\.com\tfailed: \\S+ ${requestId}$`, 'm'))

    const second = await syncing(rows)
    expect(await second.ended).toBe(0)
    expect(second.output().match(/^add\t\S+\tlink_sent$/gm)).toHaveLength(500)
  })

  it('stops on SIGTERM and reports that some changes were not made', async () => {
    emulator.faults.add({ match: 'members.add', delayMs: 300, times: Number.POSITIVE_INFINITY })
    const program = await syncing(['here@example.com,,', ...emails(0, 1700)])
    await program.printed(/^add\tperson499@/m)

    expect(await program.end('SIGTERM')).toBe(1)
    expect(program.output()).toContain('run it again')
    expect(program.output()).not.toContain('person1699@')
  })

  it('reports a file that it cannot read', async () => {
    const program = startProgram('roster', ['node', '--import', 'tsx', 'sync.ts', 'nothing.csv'], service.settings)

    expect(await program.ended).toBe(1)
    expect(program.output()).toMatch(/ENOENT.*nothing\.csv/)
  })

  it('a file that is not CSV changes nothing, and no text of it is printed', async () => {
    const program = await syncing(['new@example.com,Ne "secret",W'])

    expect(await program.ended).toBe(1)
    expect(program.output()).toMatch(/^INVALID_OPENING_QUOTE in line 3\n/)
    expect(program.output()).not.toContain('Ne')
    expect(emulator.requests).toEqual([])
  })

  it('resends the invites of members who have not activated', async () => {
    const program = startProgram('roster', ['node', '--import', 'tsx', 'resend-invites.ts'], service.settings)

    expect(await program.ended).toBe(0)
    expect(program.output().match(/^invited\tvmem_\w+/gm)).toHaveLength(1)
    expect(emulator.requests.filter(({ path }) => path.endsWith('/invite'))).toHaveLength(1)
  })
})
