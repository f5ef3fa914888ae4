import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import { describeInstalled, type Program, startProgram } from './program.ts'

/** Runs what `npm run example` runs after the build. */
async function start(name: string, more: Record<string, string> = {}): Promise<{ port: number } & Program> {
  const port = await freePort()
  const program = startProgram('', ['node', '--import', 'tsx', 'start.ts', name], {
    ...more,
    PORT: String(port),
  })
  onTestFinished(() => void program.end('SIGKILL', 'group'))
  return { ...program, port }
}

const expectGone = (url: string) => expect(fetch(url)).rejects.toThrow('fetch failed')

async function startsAndEnds(name: string, more: Record<string, string> = {}) {
  const program = await start(name, more)
  const [, console = ''] = await program.printed(/emulator console: (\S+)/)
  await program.printed(/listening on|Ready in/)
  const url = `http://127.0.0.1:${program.port}`

  expect((await fetch(url, { redirect: 'manual' })).status).toBeLessThan(400)
  expect((await fetch(console)).headers.get('x-emulator')).toBe('1')

  expect(await program.end('SIGINT', 'group')).toBe(0)
  await Promise.all([expectGone(url), expectGone(console)])
}

describe('npm run example', () => {
  it.each(['express', 'sign-in'])('starts %s with an emulator, and stops both on Ctrl-C', (name) => startsAndEnds(name))

  it('keeps the emulator running after an example that exits by itself', async () => {
    const program = await start('roster')
    const [, console = ''] = await program.printed(/emulator console: (\S+)/)
    await program.printed(/^done/m)
    expect(program.output()).toMatch(/^add\tada@example\.com/m)

    expect(await (await fetch(`${console}/members`)).text()).toContain('ada@example.com')

    expect(await program.end('SIGTERM')).toBe(0)
    await expectGone(console)
  })

  it('exits with an error if its example fails', async () => {
    const program = await start('express', { PUBLIC_URL: 'no address' })

    expect(await program.ended).toBe(1)
  })

  it('lists the examples if the name is unknown', async () => {
    const program = await start('constructor')

    expect(await program.ended).toBe(2)
    expect(program.output()).toMatch(/usage: .*express.*bulk-credentials/)
  })
})

describeInstalled('next', () => {
  it('starts next with an emulator, and stops both on Ctrl-C', () => startsAndEnds('next'))
})

describeInstalled('better-auth', () => {
  it('starts better-auth with an emulator, and stops both on Ctrl-C', () => startsAndEnds('better-auth'))
})

describeInstalled('workers', () => {
  it('starts workers with an emulator, and stops both on Ctrl-C', () => startsAndEnds('workers'))
})

describeInstalled('complete-app', () => {
  describeWith(['postgres', 'redis-server'], 'that complete-app starts with an emulator', () => {
    it('starts complete-app with an emulator, and stops all on Ctrl-C', async () => {
      const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
      onTestFinished(async () => void (await Promise.all([postgres.remove(), redis.remove()])))
      await startsAndEnds('complete-app', { DATABASE_URL: postgres.url, REDIS_URL: redis.url })
    })
  })
})

describeInstalled('event-queues', () => {
  describeWith('redis-server', 'that event-queues starts with an emulator', () => {
    it('starts the app and the worker, and stops both on Ctrl-C', async () => {
      const redis = await startRedis()
      onTestFinished(() => redis.remove())
      const program = await start('event-queues', { REDIS_URL: redis.url })
      await Promise.all([program.printed(/listening on/), program.printed(/waiting for events/)])

      expect(await program.end('SIGINT', 'group')).toBe(0)
    })
  })
})

describeInstalled('bulk-credentials', () => {
  describeWith('redis-server', 'that bulk-credentials starts with an emulator', () => {
    it('looks up the licenses of its list, and stops on Ctrl-C', async () => {
      const redis = await startRedis()
      onTestFinished(() => redis.remove())
      const program = await start('bulk-credentials', { REDIS_URL: redis.url })
      await program.printed(/^row 2\tpassed/m)

      expect(await program.end('SIGINT', 'group')).toBe(0)
    })
  })
})
