import { expect, it } from 'vitest'
import { documented } from '../../src/contract/documented.ts'
import { organizationEndpoints } from '../../src/contract/organization/endpoints.ts'
import { legacyEndpoints } from '../../src/contract/sign-in/legacy.ts'
import { oidcEndpoints } from '../../src/contract/sign-in/oidc.ts'
import { verificationEndpoints } from '../../src/contract/verification/endpoints.ts'

it('each operation has its place in the contract, and none that is not declared has one', () => {
  const declared = [...verificationEndpoints, ...organizationEndpoints, ...oidcEndpoints, ...legacyEndpoints]

  const operations = declared.map(({ operation }) => operation)
  expect([...documented.keys()].sort()).toEqual(operations.sort())
})
