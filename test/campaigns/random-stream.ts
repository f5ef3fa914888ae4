/** Returns a function that returns random numbers from 0 to 1, the same ones for the same parts. */
export function randomStream(...parts: readonly number[]): () => number {
  let state = 0x9e3779b9
  for (const part of parts) state = Math.imul(state ^ part, 0x85ebca6b) + 0x6d2b79f5
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const oneOf = <T>(all: readonly T[], random: () => number): T => all[Math.floor(random() * all.length)] as T

/** Reads an integer from the environment. */
export const setting = (name: string, fallback: number): number => Number(process.env[name] ?? fallback)

/** Runs jobs in the order of their numbers, some of them at the same time. */
export async function runConcurrently(count: number, atOnce: number, job: (number: number) => Promise<void>) {
  let next = 0
  const worker = async () => {
    while (next < count) await job(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** Counts names. */
export class Tally {
  readonly counts: Record<string, number> = {}

  add(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1
  }
}
