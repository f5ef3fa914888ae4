import { expect, it } from 'vitest'
import type { VerificationClient } from '../../../src/index.ts'
import { images } from '../../support/fixtures.ts'
import { testClient } from '../../support/verification-client.ts'

const license = { license_type: 'RN', license_state: 'CA', license_number: '1' }
const kyc = { front_image: images.png, selfie: images.png }

const checks = {
  'checks.credential': (client: VerificationClient, alias: object) =>
    client.checks.credential({ ...license, ...alias } as never),
  'checks.kycCredential': (client: VerificationClient, alias: object) =>
    client.checks.kycCredential({ ...license, ...kyc, ...alias } as never),
}

const aliases = [
  { alias: { state: 'NY' }, name: 'state', field: 'license_state' },
  { alias: { license_no: '2' }, name: 'license_no', field: 'license_number' },
]

it.each(Object.entries(checks).flatMap(([operation, call]) => aliases.map((row) => ({ operation, call, ...row }))))(
  '$operation rejects the alias $name if its value differs from $field',
  async ({ call, alias, name, field }) => {
    const { client } = testClient({ fetch: () => expect.fail('something was sent') })

    await expect(call(client, alias)).rejects.toMatchObject({
      name: 'InvalidParamsError',
      issues: [{ path: name, message: `differs from ${field}, of which it is an alias` }],
    })
  },
)
