/**
 * An id of the service, such as `Id<'session'>`. Any string fits, but an id of one kind does not fit where another kind
 * is expected.
 */
export type Id<Kind extends string> = string & { readonly [kind]?: Kind }

/** Not exported, so that an editor does not offer it. */
declare const kind: unique symbol

/**
 * Stands for every value that this version does not list, in the unions of what the service sends. It is a string at
 * run time. Because it is a type of its own, a misspelled comparison does not compile, and `switch` narrows the listed
 * values. To compare a value with a string that is not listed, assign it to a `string` first.
 *
 * @example
 * const status: string = session.status
 * if (status === 'SUSPENDED') console.log('suspended')
 */
// Exported as a type only, because it does not exist at run time.
export declare enum Unlisted {
  /** Any other string. */
  value = 'a value that this version does not list',
}
