// Measures the verification of a webhook and the validation of its event, for decisions of three sizes.
import { compareCpu } from '../cpu.js'
import { report } from '../result.js'

/** @param {{ kib: number, budget: number, times: number }} size */
const compare = ({ kib, budget, times }) =>
  compareCpu('webhook', {
    title: `${kib} KiB`,
    of: 'webhook',
    times,
    settings: [String(kib)],
    own: { verifyWebhook: budget, verifyWebhookSignature: undefined },
  })

report('webhook', [
  await compare({ kib: 1, budget: 1.5, times: 400 }),
  await compare({ kib: 20, budget: 1.2, times: 40 }),
  await compare({ kib: 200, budget: 1.2, times: 4 }),
])
