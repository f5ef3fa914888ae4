import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A child process that runs one of `processes/`. */
export interface Process {
  readonly pid: number
  /** Sends it a request. Rejects if the process ends before it replies. */
  request<Result>(params: unknown): Promise<Result>
  kill(): void
  /** Resolves with the signal that ended the process. */
  readonly ended: Promise<NodeJS.Signals | null>
}

interface Reply {
  readonly ready?: boolean
  readonly id?: number
  readonly value?: unknown
  readonly error?: { readonly name: string; readonly message: string }
}

export class ProcessEnded extends Error {}

/** Starts a process, of `processes/` or of a URL. Resolves when it is ready for requests. */
export async function startProcess(file: string, env: Readonly<Record<string, string>>): Promise<Process> {
  const child = fork(fileURLToPath(new URL(file, new URL('processes/', import.meta.url))), {
    env: { ...process.env, ...env },
    // The options with which Vitest runs its own files do not apply.
    execArgv: [],
  })
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let requests = 0
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('exit', (code, signal) => {
      for (const { reject } of waiting.values()) reject(new ProcessEnded(`ended with ${signal ?? code}`))
      waiting.clear()
      resolve(signal)
    })
  })
  await new Promise<void>((resolve, reject) => {
    ended.then((signal) => reject(new ProcessEnded(`ended with ${signal} before it was ready`)))
    child.on('message', ({ ready, id, value, error }: Reply) => {
      if (ready) return resolve()
      const caller = waiting.get(id as number)
      waiting.delete(id as number)
      if (error) caller?.reject(new Error(`${error.name}: ${error.message}`))
      else caller?.resolve(value)
    })
  })
  return {
    pid: child.pid as number,
    ended,
    kill: () => void child.kill('SIGKILL'),
    request: <Result>(params: unknown) =>
      new Promise<Result>((resolve, reject) => {
        if (!child.connected) return reject(new ProcessEnded('the process has ended'))
        const id = ++requests
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
        child.send({ id, params }, (error) => error && reject(new ProcessEnded(error.message)))
      }),
  }
}

/** Starts several processes of one kind. */
export const startProcesses = (count: number, file: string, env: Readonly<Record<string, string>>) =>
  Promise.all(Array.from({ length: count }, () => startProcess(file, env)))
