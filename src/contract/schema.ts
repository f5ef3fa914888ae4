import type * as z from 'zod/mini'
import { acceptance } from './acceptance.ts'

/** What a value has to be. The schema is made when it is first looked at: a program uses few of them, and imports all. */
export interface Schema<T = unknown> {
  readonly zod: z.ZodMiniType<T>
  /** True: the value fits as it is, told without a copy. False: it may not, and `zod` tells what is wrong. */
  accepts(value: unknown): boolean
}

export function schema<S extends z.ZodMiniType>(make: () => S): Schema<z.output<S>> {
  let made: S | undefined
  let test: ((value: unknown) => boolean) | undefined
  return {
    get zod() {
      made ??= make()
      return made as unknown as z.ZodMiniType<z.output<S>>
    },
    accepts(value) {
      test ??= acceptance(this.zod)
      return test(value)
    },
  }
}
