import { html } from 'hono/html'
import type { Markup } from '../design/components.ts'

type Option = string | readonly [value: string, label: string]

const optionElement = (option: Option) => {
  const [value, label] = typeof option === 'string' ? [option, option] : option
  return html`<option value="${value}">${label}</option>
`
}

/** Renders a select field. The first option is the default. @param groups options below a heading */
export const selectField = (
  name: string,
  label: string,
  options: readonly Option[],
  groups: Readonly<Record<string, readonly Option[]>> = {},
): Markup => html`<p><label>${label}
<select name="${name}">
${options.map(optionElement)}${Object.entries(groups).map(
  ([group, members]) => html`<optgroup label="${group}">
${members.map(optionElement)}</optgroup>
`,
)}</select></label></p>`

const times: ReadonlyMap<string, number> = new Map([
  ['once', 1],
  ['3 times', 3],
  ['until removed', Number.POSITIVE_INFINITY],
])

/** The select field for the number of times that something happens. */
export const timesField = selectField('times', 'How often', [...times.keys()])

export const readTimes = (form: URLSearchParams) => times.get(form.get('times') ?? '') ?? 1

/** Describes how many times something will still happen. */
export const timesLeft = (left: number) =>
  left === Number.POSITIVE_INFINITY ? 'until removed' : left === 1 ? 'once' : `${left} times`
