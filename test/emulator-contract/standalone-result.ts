/** Section 2.3. */
interface Check {
  readonly type: string
  readonly status: string
  readonly score?: number
  readonly data: Readonly<Record<string, unknown>>
  readonly error: Readonly<Record<string, unknown>> | null
}

/** Section 2.5. */
export interface Result {
  readonly session_id: string
  readonly status: string
  readonly check: Check
}
