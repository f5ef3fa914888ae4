// Misspelled on purpose: cspell:ignore ENTRIPOINT

import { readFileSync } from 'node:fs'
import { ValidationSeverity, validate } from 'dockerfile-utils'
import { expect, it } from 'vitest'
import { examplePath } from './program.ts'

const dockerfile = readFileSync(examplePath('docker/Dockerfile'), 'utf8')

it('the Dockerfile passes all rules of a linter', () => {
  const rules = Object.fromEntries(
    ['deprecatedMaintainer', 'directiveCasing', 'emptyContinuationLine', 'instructionCasing'].map((rule) => [
      rule,
      ValidationSeverity.ERROR,
    ]),
  )

  expect(validate(dockerfile, rules)).toEqual([])
  expect(validate(dockerfile.replace('ENTRYPOINT', 'ENTRIPOINT'), rules)).not.toEqual([])
})
