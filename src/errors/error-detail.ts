import { environment } from '../runtime/environment.ts'

/**
 * What errors and logs show of what others wrote, such as the service, a driver or your own callbacks: `'safe'` shows
 * none of it, because it may be secret or personal; `'full'` shows all of it, for development.
 */
export type ErrorDetail = 'full' | 'safe'

/** How a text that hides something says how to see it. @param name the property that has it */
export const howToSee = (name: string): string => `read error.${name}, or set SVC_ERROR_DETAIL=full`

/** Returns the detail that applies without the option. */
export function defaultErrorDetail(): ErrorDetail {
  const given = environment('SVC_ERROR_DETAIL')
  if (given !== undefined) return given === 'full' ? 'full' : 'safe'
  const mode = environment('NODE_ENV')
  return mode === 'development' || mode === 'test' ? 'full' : 'safe'
}
