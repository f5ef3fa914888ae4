// Misspelled on purpose: cspell:ignore bussiness idempotncy licnese liscence timeot wrokflow

import { expect, it } from 'vitest'
import { misspelledName, nearestName } from '../../src/options/nearest-name.ts'

it.each([
  ['liscence_not_found', ['not_found', 'license_not_found'], 'license_not_found'],
  ['timeotMs', ['timeoutMs', 'time'], 'timeoutMs'],
  ['wrokflow_id', ['flow', 'workflow_id'], 'workflow_id'],
  ['workflows_id', ['workflow_ids', 'workflow_id'], 'workflow_id'],
  ['idempotncyKy', ['key', 'idempotencyKey'], 'idempotencyKey'],
])('the name with the fewest edits is nearest to %s, before one that it contains', (name, listed, nearest) => {
  expect(nearestName(name, listed)).toBe(nearest)
})

it.each([
  ['timeout', 'timeoutMs'],
  ['maxBodySizeBytes', 'maxBody'],
])('a longer or shorter name is near to %s if no name is closer', (name, nearest) => {
  expect(nearestName(name, ['store', nearest])).toBe(nearest)
})

it.each([
  ['name', ['game']],
  ['sess_1', ['sess_2']],
  ['flavor', ['timeoutMs', 'store']],
  ['api_v1_sessions', ['api_v2_sessions']],
])('no name is near to %s among %j', (name, listed) => {
  expect(nearestName(name, listed)).toBeUndefined()
})

it.each([
  ['apikey', 'apiKey'],
  ['bussiness_name', 'business_name'],
  ['licnese_state', 'license_state'],
])('%s is a misspelling of %s, because it differs by case or one edit', (name, meant) => {
  expect(misspelledName(name, ['other', meant])).toBe(meant)
})

it('a name with two edits or a longer one is not a misspelling, because a field may have that name', () => {
  expect(misspelledName('liscence_state', ['license_state'])).toBeUndefined()
  expect(misspelledName('license', ['license_state'])).toBeUndefined()
})
