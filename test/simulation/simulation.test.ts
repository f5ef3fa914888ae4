import { expect, it } from 'vitest'
import { exploreAll, exploreRandomly, type Finding } from './explore.ts'
import { webhooks } from './protocols/webhooks.ts'
import { protocols } from './protocols.ts'
import { replay } from './run.ts'

/** How a finding is reported: what does not hold, how to see it again, and what happened. */
const report = (finding: Finding | undefined) =>
  finding &&
  `${finding.violation}\nSIMULATION='${finding.protocol} ${finding.seed}' npx vitest run test/simulation\n${finding.timeline.join('\n')}`

it.each(protocols)('$name keeps its promises in random runs with up to 3 faults', async (protocol) => {
  const finding = await exploreRandomly(protocol, { seed: 1, runs: 250 })

  expect(report(finding)).toBeUndefined()
})

it.each(protocols)(
  '$name keeps its promises in every order of the steps of two processes',
  async (protocol) => {
    const { finding, isComplete } = await exploreAll(protocol, { maxFaults: 0, maxRuns: 2_000 })

    expect(report(finding)).toBeUndefined()
    expect(isComplete).toBe(true)
  },
)

it.each(protocols)('$name has the same timeline each time for the same seed', async (protocol) => {
  const seed = '0.1.12.3.0.0.2.0.17.1'
  const first = await replay(protocol, seed)
  const again = await replay(protocol, seed)

  expect(again.timeline).toEqual(first.timeline)
  expect(first.timeline.join('\n')).toMatch(/ ! /)
})

it.runIf(process.env.SIMULATION)('replays the seed in SIMULATION', async () => {
  const [name, seed = '0'] = (process.env.SIMULATION ?? '').split(' ')
  const protocol = protocols.find((one) => one.name === name) ?? webhooks
  const { timeline, violations } = await replay(protocol, seed)

  console.log(timeline.join('\n'))
  expect(violations).toEqual([])
})
