import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { documentedCode } from '../support/documented-code.ts'
import { freePort } from '../support/free-port.ts'

const guide = documentedCode('docs/guides/shut-down.md')
const { emulator } = guide

it('the app finishes its deliveries and exits on SIGTERM', async () => {
  const port = await freePort()
  const file = join(guide.installed.project, 'app.mjs')
  await writeFile(file, await guide.script('Shut down'))
  const env = { ...process.env, ...guide.environment({ PORT: String(port) }) }
  const app = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void app.kill('SIGKILL'))
  let printed = ''
  const listening = new Promise<void>((resolve) => {
    app.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (printed.includes('listening')) resolve()
    })
  })
  const exited = once(app, 'exit')
  await listening

  await emulator.sessions.complete(await guide.aSession(`http://127.0.0.1:${port}/webhooks`), 'APPROVED')
  app.kill('SIGTERM')

  expect(await exited).toEqual([0, null])
  expect(printed).toBe('listening\nAPPROVED\ndone\n')
  expect(emulator.webhooks.deliveries[0]?.attempts.map(({ status }) => status)).toEqual([200])
})
