import { expect, it } from 'vitest'
import { documented } from '../../src/contract/documented.ts'
import { legacyEndpoints } from '../../src/contract/legacy-sign-on.ts'
import { oidcEndpoints } from '../../src/contract/oidc.ts'
import { organizationEndpoints } from '../../src/contract/organization-api.ts'
import { verificationEndpoints } from '../../src/contract/verification-api.ts'

it('each operation has its place in the contract, and none that is not declared has one', () => {
  const declared = [...verificationEndpoints, ...organizationEndpoints, ...oidcEndpoints, ...legacyEndpoints]

  const operations = declared.map(({ operation }) => operation)
  expect([...documented.keys()].sort()).toEqual(operations.sort())
})
