/**
 * The private members of a public class. With `#` members, the type of the class would have a member that nothing else
 * can have: a fake would not be a value of the type, and neither would an object of the CommonJS copy of the package.
 */
export class PrivateMembers<Owner extends object, Members> {
  /**
   * The property of an object that contains its key. A `Proxy` of the caller, as containers and tracers create them,
   * passes it on unchanged.
   */
  readonly #place = Symbol('members')
  readonly #members = new WeakMap<symbol, Members>()

  set(owner: Owner, members: Members): void {
    const key = Symbol()
    this.#members.set(key, members)
    Object.defineProperty(owner, this.#place, { value: key, configurable: true })
  }

  /** Returns the members of an object, or `undefined` if another class created it. */
  find(owner: object): Members | undefined {
    const key = Object(owner)[this.#place]
    return typeof key === 'symbol' ? this.#members.get(key) : undefined
  }

  /** @throws {TypeError} a method was taken from its object, and called without it */
  of(owner: Owner): Members {
    const members = this.find(owner)
    if (members === undefined)
      throw new TypeError('the method was called without its object, or on a Proxy that hides its symbols')
    return members
  }
}

/**
 * Binds the methods of an object to it. Those of a class with `#` members would not work on a `Proxy` of the object,
 * which has no such members.
 */
export function bindMethods<Target extends object>(target: Target): Target {
  const prototype = Object.getPrototypeOf(target)
  for (const name of Reflect.ownKeys(prototype)) {
    const method: unknown = prototype[name]
    if (typeof method === 'function' && name !== 'constructor')
      Object.defineProperty(target, name, { value: method.bind(target), configurable: true, writable: true })
  }
  return target
}

/**
 * An object that `await using` closes. Without the types of `Symbol.asyncDispose` (`lib: ["esnext.disposable"]`, or
 * those of Node) it has no members, so that declarations that use it compile.
 */
export type AsyncClosable = {
  /** Closes the object, as `close` does. */
  readonly [Dispose in SymbolConstructor['asyncDispose' & keyof SymbolConstructor]]: () => Promise<void>
}
