/** What authenticates the client, for one attempt. */
export interface AuthHeaders {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Must never be shown. The first one also keys the boundaries of multipart bodies. */
  readonly secrets: readonly string[]
}

/** Called before each attempt, so that keys can rotate. */
export type AuthProvider = () => AuthHeaders | Promise<AuthHeaders>
