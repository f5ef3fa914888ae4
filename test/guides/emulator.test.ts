import { expect, it } from 'vitest'
import { scenarios } from '../../src/emulator/model/sessions/scenarios.ts'
import { documentedCode } from '../support/documented-code.ts'
import { columnOf } from './reading.ts'

const guide = documentedCode('docs/guides/emulator.md')

it('the table of scenarios lists every scenario with what happens', () => {
  const [names, outcomes] = [0, 1].map((index) =>
    columnOf('docs/guides/emulator.md', 'Let sessions end by themselves', index),
  )

  expect(names?.map((name, i) => [name, outcomes?.[i]])).toEqual(Object.entries(scenarios))
})

it('a snapshot leads back to the state that it was taken of', async () => {
  expect(await guide.runAlone('Save the state and go back to it')).toBe('')
})
