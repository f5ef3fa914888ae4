/**
 * The private members of a public class. With `#` members, the type of the class would have a member that nothing else
 * can have: a fake would not be a value of the type, and neither would an object of the CommonJS copy of the package.
 */
export class PrivateMembers<Owner extends object, Members> {
  readonly #members = new WeakMap<Owner, Members>()

  set(owner: Owner, members: Members): void {
    this.#members.set(owner, members)
  }

  /** @throws {TypeError} a method was taken from its object, and called without it */
  of(owner: Owner): Members {
    const members = this.#members.get(owner)
    if (members === undefined) throw new TypeError('the method was called without its object')
    return members
  }
}

/**
 * An object that `await using` closes. Without the types of `Symbol.asyncDispose` (`lib: ["esnext.disposable"]`, or
 * those of Node) it has no members, so that declarations that use it compile.
 */
export type AsyncClosable = {
  /** Closes the object, as `close` does. */
  readonly [Dispose in SymbolConstructor['asyncDispose' & keyof SymbolConstructor]]: () => Promise<void>
}
