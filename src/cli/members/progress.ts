import type { Shell } from '../shell.ts'

const width = 30

/** A bar on the terminal; nothing where there is none. */
export function progressBar({ around: { stderr } }: Shell, total: number) {
  if (stderr.isTTY !== true) return { show() {}, end() {} }
  return {
    show(done: number) {
      const filled = total === 0 ? width : Math.floor((done / total) * width)
      stderr.write(`\r[${'#'.repeat(filled).padEnd(width, '-')}] ${done}/${total}`)
    },
    /** Takes the bar away. */
    end() {
      stderr.write('\r\u001b[K')
    },
  }
}
