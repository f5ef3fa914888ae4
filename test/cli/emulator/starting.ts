import { vi } from 'vitest'
import { patient } from '../../support/patience.ts'
import { type CliOptions, startCli } from '../terminal.ts'

/** A busy machine may take longer than the default, which is a second. */

/** What the emulator prints first with `--json`. */
export interface Started {
  readonly listening: string
  readonly console: string
  readonly env: Readonly<Record<string, string>>
}

/** Starts the emulator on a free port and waits until it listens. Its output is JSON. */
export async function startJson(flags: string | readonly string[] = [], options: CliOptions = {}) {
  const given = typeof flags === 'string' ? flags.split(' ').filter((flag) => flag !== '') : flags
  const port = given.includes('--port') ? [] : ['--port', '0']
  const running = startCli(['emulator', '--json', ...port, ...given], options)
  let ended: number | undefined
  void running.status.then((status) => {
    ended = status
  })
  const started = await vi.waitFor((): Started => {
    if (ended !== undefined) throw new Error(`The emulator ended: ${running.stderr}`)
    return JSON.parse(running.stdout.split('\n')[0] ?? '')
  }, patient)
  const { listening: url, env } = started
  return {
    running,
    started,
    url,
    env,
    /** Calls the control API. */
    control: async (path: string, body?: object) => {
      const response = await fetch(
        `${url}/_emulator/api${path}`,
        body && { method: 'POST', body: JSON.stringify(body) },
      )
      return response.status === 204 ? undefined : JSON.parse(await response.text())
    },
    /** Sends a request to the API. */
    call: async (method: string, path: string, body?: object) => {
      const headers = { 'x-api-key': env.SVC_API_KEY ?? '', 'content-type': 'application/json' }
      const response = await fetch(url + path, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: response.status, ...JSON.parse(await response.text()) }
    },
    /** Stops it, as Ctrl-C does, and returns its status. */
    stop: (signal?: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => {
      running.interrupt(signal)
      return running.status
    },
  }
}
