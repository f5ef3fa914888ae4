/** What proves who calls, for one attempt. */
export interface AuthHeaders {
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Must never come out again. The first also keys the boundaries of multipart bodies. */
  readonly secrets: readonly string[]
}

/** Asked before each attempt, so that keys can rotate. */
export type AuthProvider = () => AuthHeaders | Promise<AuthHeaders>
