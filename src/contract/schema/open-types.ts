/** A value that the service sends: known values autocomplete, other values pass through. */
export type Open<Known extends string> = Known | (string & {})

/**
 * The `type` of a union member that the contract does not list yet. It is a string at run time. The separate type
 * lets `switch (x.type)` narrow the listed members.
 */
export declare enum Unlisted {
  /** Stands for every other string. */
  type = 'a type that this version does not list',
}

/** Fields that a later version of the service may add. They are kept unchanged. */
export interface MoreFields {
  readonly [field: string]: unknown
}
