import { expect, it } from 'vitest'
import { parseReturnUrl } from '../../src/index.ts'

it.each([
  ['https://app.example.test/return?session_id=sess_1&status=APPROVED', 'sess_1', 'APPROVED'],
  ['https://app.example.test/return?from=idv&tab=2&session_id=sess_1&status=IN_REVIEW', 'sess_1', 'IN_REVIEW'],
  ['https://app.example.test/return?from=idv?session_id=sess_1&status=DECLINED', 'sess_1', 'DECLINED'],
  ['/return?session_id=sess_1&status=EXPIRED', 'sess_1', 'EXPIRED'],
  ['?session_id=sess_1&status=ABANDONED', 'sess_1', 'ABANDONED'],
  ['/return?session_id=forged&status=DECLINED&session_id=sess_1&status=APPROVED', 'sess_1', 'APPROVED'],
  ['/return?status=APPROVED&session_id=sess%2F1%20%C3%A9', 'sess/1 é', 'APPROVED'],
  ['/return?session_id=sess_1&status=ON_HOLD', 'sess_1', 'ON_HOLD'],
  ['/return?session_id=sess_1&status=APPROVED#top?session_id=other', 'sess_1', 'APPROVED'],
  ['/return?session_id=sess_1', 'sess_1', null],
  ['/return?session_id=&status=', null, null],
  ['/return?session_id=%zz', '%zz', null],
  ['/return', null, null],
  ['', null, null],
])('reads the parameters of %s', (url, sessionId, statusHint) => {
  expect(parseReturnUrl(url)).toEqual({ sessionId, statusHint })
})

it('reads a URL object like a string', () => {
  const url = new URL('https://app.example.test/return?session_id=sess_1&status=APPROVED')

  expect(parseReturnUrl(url)).toEqual({ sessionId: 'sess_1', statusHint: 'APPROVED' })
})
