import { ConfigurationError } from '../../errors/sdk-error.ts'

export function nonBlankText(name: string, value: string): string {
  if (value.trim() === '')
    throw new ConfigurationError({ message: `createEmulator: ${name} must not be blank` })
  return value
}

export function finiteNumber(name: string, value: number): number {
  if (!Number.isFinite(value))
    throw new ConfigurationError({ message: `createEmulator: ${name} must be a finite number` })
  return value
}

export function amount(name: string, value: number): number {
  if (!Number.isFinite(value) || value < 0)
    throw new ConfigurationError({ message: `createEmulator: ${name} must be a number, 0 or more` })
  return value
}

export function listedValue<Value>(name: string, value: Value, listed: readonly Value[]): Value {
  if (!listed.includes(value))
    throw new ConfigurationError({ message: notListed(`createEmulator: ${name}`, value, listed) })
  return value
}

/** Returns the message for a value that is not in a list: what was received, and the list. */
export const notListed = (name: string, value: unknown, listed: readonly unknown[]): string =>
  `${name}: ${JSON.stringify(value)} is not one of ${listed.join(', ')}`
