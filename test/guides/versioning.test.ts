import { expect, it } from 'vitest'
import { experimentalEndpoints } from '../../src/contract/verification/experimental.ts'
import { workflowEndpoints } from '../../src/contract/verification/workflows.ts'

it('every operation that the contract does not confirm is experimental', () => {
  const operations = [...workflowEndpoints, ...experimentalEndpoints]

  expect(operations.filter((endpoint) => !endpoint.unconfirmed)).toEqual([])
  expect(operations.filter(({ operation }) => !operation.startsWith('experimental.'))).toEqual([])
})
