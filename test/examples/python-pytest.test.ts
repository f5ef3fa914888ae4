import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { describeWith, requireBinary } from '../support/programs.ts'
import { examplePath } from './program.ts'

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

describeWith('pytest', 'that examples/python-pytest drives sessions by the control API alone', () => {
  it('all tests pass', async () => {
    const { PATH = '', HOME = '' } = process.env
    const { stdout } = await promisify(execFile)(requireBinary('pytest'), ['-q', '-p', 'no:cacheprovider'], {
      cwd: examplePath('python-pytest'),
      env: {
        PATH,
        HOME,
        EMULATOR: `${process.execPath} ${cli}`,
        PYTHONDONTWRITEBYTECODE: '1',
        PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
      },
    })

    expect(stdout).toMatch(/^5 passed/m)
  })
})
