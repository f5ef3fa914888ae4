import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it } from 'vitest'
import { readDocument } from './read-document.ts'

const { document } = readDocument()

it('a linter of OpenAPI finds nothing with its recommended rules', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] })

  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config,
  })

  expect(problems.map(({ ruleId, message, location: [first] }) => `${ruleId}: ${message} ${first?.pointer}`)).toEqual(
    [],
  )
})
