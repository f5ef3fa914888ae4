import type { Protocol } from './protocol.ts'
import { exclusive } from './protocols/exclusive.ts'
import { retries } from './protocols/retries.ts'
import { tokens } from './protocols/tokens.ts'
import { forgets, forgottenStarts, outcomes, reviews, starts } from './protocols/verification.ts'
import { webhooks } from './protocols/webhooks.ts'

/** All protocols that are simulated. */
export const protocols: readonly Protocol[] = [
  exclusive,
  webhooks,
  tokens,
  retries,
  starts,
  outcomes,
  reviews,
  forgets,
  forgottenStarts,
]
