import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A process of its own that runs one of `processes/`. */
export interface Process {
  readonly pid: number
  /** Asks it something. Rejects when it ends before it answers. */
  ask<Reply>(question: unknown): Promise<Reply>
  kill(): void
  /** Resolves with the signal that ended it. */
  readonly ended: Promise<NodeJS.Signals | null>
}

interface Answer {
  readonly ready?: boolean
  readonly id?: number
  readonly value?: unknown
  readonly error?: { readonly name: string; readonly message: string }
}

export class ProcessEnded extends Error {}

/** Resolves once it is ready to be asked. */
export async function startProcess(file: string, env: Readonly<Record<string, string>>): Promise<Process> {
  const child = fork(fileURLToPath(new URL(`processes/${file}`, import.meta.url)), {
    env: { ...process.env, ...env },
    // What vitest runs its own files with is not for them.
    execArgv: [],
  })
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let asked = 0
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('exit', (code, signal) => {
      for (const { reject } of waiting.values()) reject(new ProcessEnded(`ended with ${signal ?? code}`))
      waiting.clear()
      resolve(signal)
    })
  })
  await new Promise<void>((resolve, reject) => {
    ended.then((signal) => reject(new ProcessEnded(`ended with ${signal} before it was ready`)))
    child.on('message', ({ ready, id, value, error }: Answer) => {
      if (ready) return resolve()
      const asker = waiting.get(id as number)
      waiting.delete(id as number)
      if (error) asker?.reject(new Error(`${error.name}: ${error.message}`))
      else asker?.resolve(value)
    })
  })
  return {
    pid: child.pid as number,
    ended,
    kill: () => void child.kill('SIGKILL'),
    ask: <Reply>(question: unknown) =>
      new Promise<Reply>((resolve, reject) => {
        if (!child.connected) return reject(new ProcessEnded('has ended'))
        const id = ++asked
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
        child.send({ id, question }, (error) => error && reject(new ProcessEnded(error.message)))
      }),
  }
}

/** Several of the same kind, all ready. */
export const startProcesses = (count: number, file: string, env: Readonly<Record<string, string>>) =>
  Promise.all(Array.from({ length: count }, () => startProcess(file, env)))
