/**
 * Returns the key of a property that all copies of the package share. A process may load one copy by `import` and one by
 * `require`, and a bundler makes one for each part of an app.
 *
 * @param name names the value and the version of its form
 */
export const sharedKey = (name: string): symbol => Symbol.for(`identity-service-sdk.${name}`)

/** Returns a shared value, also through a `Proxy` of its owner. */
export const sharedValue = (owner: object, key: symbol): unknown => Object(owner)[key]

export const share = (owner: object, key: symbol, value: unknown): object =>
  Object.defineProperty(owner, key, { value, configurable: true })
