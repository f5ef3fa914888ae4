import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { describeInstalled, examplePath } from './program.ts'

const compiler = fileURLToPath(new URL('../../node_modules/typescript-7/bin/tsc', import.meta.url))

/** Returns the errors of the compiler. The examples find the declarations that are packed, as readers do. */
const errorsIn = (folder: string) =>
  spawnSync(process.execPath, [compiler, '--project', examplePath(folder)], { encoding: 'utf8' }).stdout

describeInstalled(['bulk-credentials', 'event-queues', 'transactional-inbox'], () => {
  it('all examples on Node.js compile under strict', () => {
    expect(errorsIn('')).toBe('')
  })
})

describeInstalled('workers', () => {
  it('the Worker compiles under strict', () => {
    expect(errorsIn('workers')).toBe('')
  })
})

// `next build` compiles the example of Next.js, with the types that it generates for the routes.
