import type { Logger } from '../../src/index.ts'

const ignore = () => {}

/** A logger for tests of what is not a log record. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }
