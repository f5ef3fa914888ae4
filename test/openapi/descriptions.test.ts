import { expect, it } from 'vitest'
import { describedContract, descriptionsFile } from '../support/contract-docstrings.ts'

it('the descriptions of the document are the docstrings of the contract', async () => {
  await expect(describedContract()).toMatchFileSnapshot(descriptionsFile)
})
