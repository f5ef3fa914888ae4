import type { Shell } from '../shell.ts'

const width = 30

/** A progress bar on stderr. Does nothing unless stderr is a terminal. */
export function progressBar({ context: { stderr } }: Shell, total: number) {
  if (stderr.isTTY !== true) return { show() {}, clear() {} }
  return {
    show(done: number) {
      const filled = total === 0 ? width : Math.floor((done / total) * width)
      stderr.write(`\r[${'#'.repeat(filled).padEnd(width, '-')}] ${done}/${total}`)
    },
    clear() {
      stderr.write('\r\u001b[K')
    },
  }
}
