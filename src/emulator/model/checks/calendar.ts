/** Returns the day as `YYYY-MM-DD` if the text is an existing date, with `-` or `/`, optionally followed by a time. */
export function dayOf(text: string): string | undefined {
  const parts = /^(\d{4})([-/])(\d{2})\2(\d{2})(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/.exec(text.trim())
  if (parts === null) return undefined
  const day = `${parts[1]}-${parts[3]}-${parts[4]}`
  const time = Date.parse(`${day}T00:00:00Z`)
  // Date moves a day that does not exist, such as 30 February, into the next month.
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day ? undefined : day
}

/** Returns the whole years from a day of birth until now, in UTC. Negative for a day in the future. */
export function ageOn(day: string, now: Date): number {
  const today = now.toISOString().slice(0, 10)
  const years = Number(today.slice(0, 4)) - Number(day.slice(0, 4))
  return today.slice(5) < day.slice(5) ? years - 1 : years
}
