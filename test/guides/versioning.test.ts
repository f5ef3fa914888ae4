import { expect, it } from 'vitest'
import { experimentalEndpoints } from '../../src/contract/verification/experimental.ts'
import { workflowEndpoints } from '../../src/contract/verification/workflows.ts'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/reference/versioning.md')

it('the switch handles states that it does not list', async () => {
  const { pageFor } = await guide.load<{ pageFor(verification: object): string }>('What a minor version may change')

  expect(['approved', 'open', 'later'].map((state) => pageFor({ state }))).toEqual(['/welcome', '/verify', '/verify'])
})

it('every operation that the contract does not confirm is experimental', () => {
  const operations = [...workflowEndpoints, ...experimentalEndpoints]

  expect(operations.filter((endpoint) => !endpoint.unconfirmed)).toEqual([])
  expect(operations.filter(({ operation }) => !operation.startsWith('experimental.'))).toEqual([])
})
