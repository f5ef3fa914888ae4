import { factsOfThrown } from './error-detail.ts'
import { ConfigurationError } from './sdk-error.ts'

/** A part of the package, or one of its dependencies, could not be loaded when it was first needed. */
export class ModuleLoadError extends Error {
  readonly module: string

  constructor(module: string, cause: unknown) {
    super(module, { cause })
    this.module = module
  }
}

/**
 * Loads a module when it is first needed.
 *
 * @param module what a message calls it
 * @throws {ModuleLoadError}
 */
export async function loadModule<T>(module: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (thrown) {
    throw new ModuleLoadError(module, thrown)
  }
}

/** Whether {@link loadModule} threw this. */
export function isModuleLoadError(thrown: unknown): thrown is ModuleLoadError {
  return thrown instanceof ModuleLoadError
}

/** The error of a call that needed the module. Nothing was sent. */
export function loadFailure(operation: string, { module, cause }: ModuleLoadError): ConfigurationError {
  const { name, code = name } = factsOfThrown(cause)
  const message =
    `${operation}: ${module} could not be loaded (${code}), so nothing was sent. It is part of the installed package:` +
    ' install again, and if you bundle or copy files, include it or leave it external (docs/runtimes.md).'
  return new ConfigurationError({ message, cause })
}
