/** The headers that authenticate the client in one attempt. */
export interface AuthHeaders {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The values to mask. The first one is also the key of the boundaries of multipart bodies. */
  readonly secrets: readonly string[]
}

/** Returns the headers. Called before each attempt, so that keys can rotate. */
export type AuthProvider = () => AuthHeaders | Promise<AuthHeaders>
