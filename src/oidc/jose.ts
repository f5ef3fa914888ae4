import { Late } from '../http/late.ts'

/** Loaded by the first token. */
export const jose = new Late(() => import('jose'))
