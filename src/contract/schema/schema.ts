import * as z from 'zod/mini'

/** A schema of zod/mini whose output is `T`. */
export type Type<T = unknown> = z.ZodMiniType<T>

/** One thing that is wrong with a value. */
export interface Issue {
  /** Path to the part that is wrong, from the value that was checked. */
  readonly path: readonly PropertyKey[]
  /** What is wrong, to be read after the path: `must not be empty`. The value is never quoted. */
  readonly message: string
  /** True if the contract gives the part no type: its type is reported and never rejected. */
  readonly untyped: boolean
}

/**
 * What a value has to be. The zod schema is built at the first check, because a program imports all schemas and uses
 * few of them.
 */
export class Schema<T = unknown> {
  readonly #build: () => Type<T>
  #built: Type<T> | undefined

  constructor(build: () => Type<T>) {
    this.#build = build
  }

  /** The zod schema, for use inside other schemas. */
  get zod(): Type<T> {
    this.#built ??= this.#build()
    return this.#built
  }

  /** Returns everything that is wrong with a value: an empty array if nothing is. */
  issues(value: unknown): readonly Issue[] {
    // `validate` copies nothing, which makes the usual case three times as fast as a parse.
    if (z.validate(this.zod, value)) return []
    const { error } = z.safeParse(this.zod, value)
    return error ? error.issues.map((issue) => describe(issue, value)) : []
  }
}

/** Declares a schema that is built at its first use. */
export const schema = <S extends Type>(build: () => S): Schema<z.output<S>> =>
  new Schema(build as unknown as () => Type<z.output<S>>)

type Listed<T> = T extends readonly (infer Item)[]
  ? readonly Listed<Item>[]
  : T extends object
    ? { [K in keyof T as string extends K ? never : K]: Listed<T[K]> }
    : T

type Same<A, B> = [Listed<A>] extends [Listed<B>] ? ([Listed<B>] extends [Listed<A>] ? true : false) : false

/**
 * Declares a schema for an interface. A field that one of the two lacks, or that has another type there, does not
 * compile.
 */
export function schemaFor<T>() {
  return <S extends Type>(
    build: () => S & (Same<z.output<S>, T> extends true ? unknown : { readonly mismatch: T }),
  ): Schema<T> => schema(build as unknown as () => Type<T>)
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  number: 'a finite number',
  object: 'an object',
  string: 'a string',
}

function describe(issue: z.core.$ZodIssue, value: unknown): Issue {
  const untyped = issue.code === 'custom' && issue.params?.untyped === true
  return { path: issue.path, message: messageOf(issue, value), untyped }
}

function messageOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'custom') return issue.message
  if (valueAt(value, issue.path) === undefined) return 'is required'
  if (issue.code !== 'invalid_type') return issue.message
  return `must be ${typeNames[issue.expected] ?? 'of the documented type'}`
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((part, step) => (part as Record<PropertyKey, unknown> | undefined | null)?.[step], value)
