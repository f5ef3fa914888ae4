import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { patient } from '../../support/patience.ts'
import { temporaryFolder } from '../terminal.ts'

// Built by `npm run outside` before the tests run.
const cli = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url))

/** Runs `dev` in a project. The package managers of the project print how they were called. */
async function dev(manifest: object, args: readonly string[] = [], agent = 'npm/11.6.1 node/v24.1.0') {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  for (const name of ['npm', 'pnpm', 'yarn']) {
    await writeFile(join(folder, name), `#!/bin/sh\necho ${name} "$@" "$SVC_BASE_URL" "$SVC_API_KEY"\nexit 5\n`)
    await chmod(join(folder, name), 0o755)
  }
  const env = { PATH: `${folder}:${process.env.PATH}`, npm_config_user_agent: agent }
  return new Promise<{ status: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [cli, 'dev', ...args], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ status: error?.code ?? 0, stdout, stderr }),
    )
  })
}

it.each([
  [{ start: 'a', dev: 'b', 'start:dev': 'c' }, 'dev'],
  [{ start: 'a', 'start:dev': 'c' }, 'start:dev'],
  [{ build: 'd', start: 'a' }, 'start'],
])('dev runs the script of %j with the settings of an emulator, and ends with its status', async (scripts, script) => {
  const { status, stdout, stderr } = await dev({ scripts })

  expect(stdout).toMatch(new RegExp(`^npm run ${script} http://127\\.0\\.0\\.1:\\d+ emulator_api_key\\n$`))
  expect(stderr).toMatch(/^\[nothing verified\] emulator listening on (http:\S+), console at \1\/_emulator\n$/)
  expect(status).toBe(5)
})

it.each(['pnpm', 'yarn'])('dev runs the script with %s if that runs dev', async (name) => {
  const { stdout } = await dev({ scripts: { dev: 'a' } }, [], `${name}/10.2.0 npm/? node/v24.1.0`)

  expect(stdout).toMatch(new RegExp(`^${name} run dev `))
})

it('dev prints a webhook that the app did not accept', async () => {
  const script = `
    const { SVC_BASE_URL: url, SVC_API_KEY: key } = process.env
    const call = (path, body) => fetch(url + path, {
      method: 'POST', headers: { 'x-api-key': key, 'content-type': 'application/json' }, body: JSON.stringify(body),
    }).then((response) => response.json())
    const server = require('http').createServer((_, response) => response.writeHead(404).end()).listen(0, async () => {
      const callback = 'http://127.0.0.1:' + server.address().port + '/hook'
      const { data } = await call('/api/v2/session', { workflow_id: 'wf_identity', callback })
      server.on('request', () => process.exit())
      await call('/_emulator/api/sessions/' + data.session_id + '/complete', {})
    })`
  const { stdout, stderr } = await dev({}, ['--', process.execPath, '-e', script])

  expect(stdout).toBe('')
  expect(stderr).toMatch(/^\[nothing verified\] webhook http:\/\/127\.0\.0\.1:\d+\/hook 404 evt_\w+$/m)
})

it('dev says how to pass a command if the project has no script that it knows', async () => {
  const { status, stderr } = await dev({ scripts: { build: 'd' } })

  expect(status).toBe(2)
  expect(stderr).toBe(
    'error: package.json has no script dev, start:dev, start. Pass the command: npx identity-service-sdk dev -- node app.js\n',
  )
})

it('a signal that ends dev ends the app too, if a shell started it and passes none on', async () => {
  const file = join(await temporaryFolder(), 'pid')
  const app = `require('fs').writeFileSync('${file}', String(process.pid)); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, [cli, 'dev', '--', 'sh', '-c', `"${process.execPath}" -e "${app}" & wait`])
  const exit = once(child, 'exit')
  await vi.waitFor(async () => expect(await readFile(file, 'utf8')).not.toBe(''), patient)
  const pid = Number(await readFile(file, 'utf8'))
  onTestFinished(() => {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended, as it should.
    }
  })

  child.kill('SIGTERM')

  await exit
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), patient)
})
