import type { Saved } from './saved.ts'

/** Hashes a text to four 32-bit words (FNV-1a, with a different offset for each word). */
function seedWords(text: string): Uint32Array {
  return Uint32Array.from([0x811c9dc5, 0x01234567, 0x9e3779b9, 0xdeadbeef], (offset) => {
    let hash = offset
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
    return hash
  })
}

/** Generates ids that look random. The same seed generates the same ids, so they are not secret. */
export class Randomness {
  readonly #state: Uint32Array

  constructor(seed: string, saved?: Saved<Randomness>) {
    this.#state = saved === undefined ? seedWords(seed) : Uint32Array.from(saved)
    if (saved !== undefined) return
    // The first numbers of sfc32 still correlate with its seed.
    for (let i = 0; i < 16; i++) this.#next()
  }

  save(): readonly number[] {
    return [...this.#state]
  }

  /** Returns the next number of sfc32. */
  #next(): number {
    const [a, b, c, counter] = this.#state as unknown as [number, number, number, number]
    const result = (a + b + counter) >>> 0
    this.#state.set([b ^ (b >>> 9), c + (c << 3), ((c << 21) | (c >>> 11)) + result, counter + 1])
    return result
  }

  /** Returns the prefix followed by 24 hexadecimal digits. */
  id(prefix: string): string {
    return prefix + this.#hex(24)
  }

  uuid(): string {
    const hex = this.#hex(32)
    const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)]
    return parts.join('-')
  }

  #hex(digits: number): string {
    let text = ''
    while (text.length < digits) text += this.#next().toString(16).padStart(8, '0')
    return text.slice(0, digits)
  }
}
