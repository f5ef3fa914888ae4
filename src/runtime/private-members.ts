/**
 * What the objects of a public class keep to themselves. With `#` members, the type of the class would have a member
 * that nothing else can have: no fake is a value of it, and neither is an object of the CommonJS copy of the package.
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
