// The part of zod that the contract uses. `core` exports each name of its modules, so all of zod would be in it.
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
