import { EmulatorError } from '../../errors/sdk-error.ts'

/** Checks a part of a snapshot, which is then a `T`. Throws an {@link EmulatorError} that names the path of the part. */
export interface Shape<T> {
  (part: unknown, path: string): void
  readonly type?: T
}

/** Returns a part of a snapshot with the type of its shape. */
export function partOf<T>(expected: Shape<T>, part: unknown, path: string): T {
  expected(part, path)
  return part as T
}

export function rejectPart(path: string, expected: string, cause?: unknown): never {
  throw new EmulatorError({
    message: `emulator.restore: ${path} must be ${expected}. Nothing was changed`,
    cause,
  })
}

/** A shape of one value. */
export const shape =
  <T>(expected: string, allows: (part: unknown) => boolean): Shape<T> =>
  (part, path) => {
    if (!allows(part)) rejectPart(path, expected)
  }

const isObject = (part: unknown): part is object =>
  typeof part === 'object' && part !== null && Object.getPrototypeOf(part) === Object.prototype

export const text = shape<string>('a string', (part) => typeof part === 'string')
export const flag = shape<boolean>('true or false', (part) => typeof part === 'boolean')
export const date = shape<Date>('a date', (part) => part instanceof Date)
export const number = shape<number>('a finite number', Number.isFinite)
/** An object whose members are returned as they are, or checked when they are used. */
export const anyObject = <T extends object>() => shape<T>('an object', isObject)
export const oneOf = <T extends string>(values: readonly T[]) =>
  shape<T>(`one of ${values.join(', ')}`, (part) => values.some((value) => value === part))

export const optional =
  <T>(present: Shape<T>): Shape<T | undefined> =>
  (part, path) => {
    if (part !== undefined) present(part, path)
  }

/** An object of which these members are checked, for a union or if the others are open. */
export const withMembers =
  <T extends object>(members: Readonly<Record<string, Shape<unknown>>>): Shape<T> =>
  (part, path) => {
    if (!isObject(part)) rejectPart(path, 'an object')
    const values = new Map<string, unknown>(Object.entries(part))
    for (const [name, check] of Object.entries(members)) check(values.get(name), `${path}.${name}`)
  }

/** An object with a shape for each of its members, so that a new member without one does not compile. */
export const object = <T extends object>(
  members: {
    readonly [Name in keyof T]-?: Shape<T[Name] | undefined>
  },
) => withMembers<T>(members)

/** Several members of an object with one shape. */
export const each = <T, Name extends string>(
  one: Shape<T>,
  ...names: readonly Name[]
): { [Each in Name]: Shape<T> } => Object.fromEntries(names.map((name) => [name, one])) as never

export const list =
  <T>(item: Shape<T>): Shape<T[]> =>
  (part, path) => {
    if (!Array.isArray(part)) rejectPart(path, 'a list')
    for (const [i, one] of part.entries()) item(one, `${path}.${i}`)
  }

export const mapOf =
  <T>(item: Shape<T>): Shape<Map<string, T>> =>
  (part, path) => {
    if (!(part instanceof Map)) rejectPart(path, 'a map')
    for (const [key, one] of part) item(one, `${path}.${key}`)
  }
