import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { describeInstalled, examplePath } from './program.ts'

const compiler = fileURLToPath(new URL('../../node_modules/typescript-7/bin/tsc', import.meta.url))

/** Compiles a folder. Its programs find the declarations that are packed, as those of readers do. */
function compile(folder: string) {
  const args = [compiler, '--project', examplePath(folder)]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stdout }
}

const success = { status: 0, stdout: '' }

it('no example is JavaScript', () => {
  const tracked = execFileSync('git', ['ls-files'], { cwd: examplePath(''), encoding: 'utf8' })

  expect(tracked.split('\n').filter((file) => /\.[cm]?jsx?$/.test(file))).toEqual([])
})

describeInstalled(['better-auth', 'bulk-credentials', 'complete-app', 'databases', 'event-queues'], () => {
  it('all examples on Node.js compile under strict', () => {
    expect(compile('')).toEqual(success)
  })
})

describeInstalled('workers', () => {
  it('the Worker compiles under strict', () => {
    expect(compile('workers')).toEqual(success)
  })
})

// `next build` compiles the example of Next.js, with the types that it generates for the routes.
