/** Returns when to retry, for a message: in milliseconds, and from a minute on in hours and minutes too, rounded up. */
export function retryIn(ms: number): string {
  const minutes = Math.ceil(ms / 60_000)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  const units = [hours > 0 ? `${hours} h` : '', rest > 0 ? `${rest} min` : ''].filter(Boolean).join(' ')
  return `Retry in ${ms < 60_000 ? `${ms} ms` : `${units} (${ms} ms)`}`
}
