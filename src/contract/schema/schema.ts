import { acceptance } from './acceptance.ts'
import * as z from './zod-core.ts'

/** What a value has to be. The schema is made when it is first looked at: a program uses few of them, and imports all. */
export class Schema<T = unknown> {
  readonly #make: () => z.Type
  #zod: z.Type | undefined
  #test: ((value: unknown) => boolean) | undefined

  constructor(make: () => z.Type<T>) {
    this.#make = make
  }

  get zod(): z.Type<T> {
    this.#zod ??= this.#make()
    return this.#zod as z.Type<T>
  }

  /** True: the value fits as it is, told without a copy. False: it may not, and `issues` tells what is wrong. */
  accepts(value: unknown): boolean {
    this.#test ??= acceptance(this.zod)
    return this.#test(value)
  }

  /** All that is wrong with a value; empty if nothing is. */
  issues(value: unknown): z.Issue[] {
    return z.issuesOf(this.zod, value)
  }
}

export const schema = <S extends z.Type>(make: () => S): Schema<z.output<S>> =>
  new Schema(make as unknown as () => z.Type<z.output<S>>)
