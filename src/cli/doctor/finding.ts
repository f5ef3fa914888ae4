/** The result of one check of the doctor. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly detail: string
  /** What to do about a warning or a failure. */
  readonly advice?: string
}

export const ok = (check: string, detail: string): Finding => ({ check, status: 'ok', detail })

export const warn = (check: string, detail: string, advice: string): Finding => ({
  check,
  status: 'warn',
  detail,
  advice,
})

export const fail = (check: string, detail: string, advice: string): Finding => ({
  check,
  status: 'fail',
  detail,
  advice,
})
