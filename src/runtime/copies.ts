/**
 * A property that all copies of the package share. A process may load one copy by `import` and one by `require`, and a
 * bundler makes one for each part of an app. A new form of the value needs another name.
 */
export class SharedProperty<Value> {
  readonly #key: symbol

  /** @param name names the value and the version of its form */
  constructor(name: string) {
    this.#key = Symbol.for(`identity-service-sdk.${name}`)
  }

  set(owner: object, value: Value): void {
    Object.defineProperty(owner, this.#key, { value, configurable: true })
  }

  /** Returns the value, also through a `Proxy` of its owner. */
  get(owner: object): Value | undefined {
    return Object(owner)[this.#key]
  }
}
