/** A value that the service sends: known values autocomplete, other values pass through. */
export type OpenEnum<Known extends string> = Known | (string & {})

/**
 * An id of the service, such as `Id<'session'>`. Any string fits, but an id of one kind does not fit where another kind
 * is expected.
 */
export type Id<Kind extends string> = string & { readonly __kind?: Kind }

/**
 * The `type` of a union member that the contract does not list yet. It is a string at run time. The separate type
 * lets `switch (x.type)` narrow the listed members.
 */
export declare enum Unlisted {
  /** Stands for every other string. */
  type = 'a type that this version does not list',
}
