import type { Protocol } from './protocol.ts'
import { tokens } from './protocols/tokens.ts'
import { webhooks } from './protocols/webhooks.ts'

/** All protocols that are simulated. */
export const protocols: readonly Protocol[] = [webhooks, tokens]
