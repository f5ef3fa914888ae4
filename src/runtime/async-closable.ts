/**
 * An object that `await using` closes. Without the types of `Symbol.asyncDispose` (`lib: ["esnext.disposable"]`, or
 * those of Node) it has no members, so that declarations that use it compile.
 */
export type AsyncClosable = {
  /** Closes the object, as `close` does. */
  readonly [Dispose in SymbolConstructor['asyncDispose' & keyof SymbolConstructor]]: () => Promise<void>
}
