// What the contract uses of zod. A file that entries share exports each of these names, so the list is no longer.
export {
  array,
  boolean,
  catchall,
  custom,
  looseObject,
  nullable,
  number,
  object,
  optional,
  refine,
  safeParse,
  string,
  unknown,
  validate,
} from 'zod/mini'
