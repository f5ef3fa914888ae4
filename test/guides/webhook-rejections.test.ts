import { expect, it } from 'vitest'
import type { WebhookVerificationReason } from '../../src/errors/webhook-error.ts'
import type { WebhookResult } from '../../src/webhooks.ts'
import { columnOf } from './reading.ts'

const page = 'docs/reference/webhook-rejections.md'

const reasons: Record<WebhookVerificationReason, true> = {
  missing_header: true,
  malformed_header: true,
  signature_mismatch: true,
  timestamp_out_of_tolerance: true,
  invalid_payload: true,
  body_not_raw: true,
  body_too_large: true,
  body_incomplete: true,
}

it('the table of rejections lists every reason', () => {
  expect(columnOf(page, 'Rejections').sort()).toEqual(Object.keys(reasons).sort())
})

const outcomes: Record<WebhookResult['outcome'], true> = {
  processed: true,
  duplicate: true,
  test: true,
  unhandled: true,
  rejected: true,
  failed: true,
  in_progress: true,
}

it('the table of responses lists every outcome', () => {
  const named = columnOf(page, 'Responses', 1).flatMap((cell) => cell.split(', '))
  expect(new Set(named)).toEqual(new Set(Object.keys(outcomes)))
})
