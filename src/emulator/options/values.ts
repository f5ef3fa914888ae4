import { ConfigurationError } from '../../errors/sdk-error.ts'

export function text(name: string, value: string): string {
  if (value.trim() === '') throw new ConfigurationError({ message: `${name} must not be blank` })
  return value
}

export function finiteNumber(name: string, value: number): number {
  if (!Number.isFinite(value)) throw new ConfigurationError({ message: `${name} must be a finite number` })
  return value
}

export function amount(name: string, value: number): number {
  if (!Number.isFinite(value) || value < 0)
    throw new ConfigurationError({ message: `${name} must be a number, 0 or more` })
  return value
}
