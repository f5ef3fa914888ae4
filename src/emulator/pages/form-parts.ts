import { html } from 'hono/html'
import type { Markup } from './page.ts'

/** What a form lacked. @param problem a sentence */
export const errorMessage = (problem: string | undefined): Markup =>
  problem === undefined ? html`` : html`<p role="alert">${problem}</p>`

export const radioButton = ({
  name,
  value,
  label,
  isPicked,
  isRequired = false,
}: {
  readonly name: string
  readonly value: string
  readonly label: string
  readonly isPicked: boolean
  readonly isRequired?: boolean
}): Markup =>
  html`<label><input type="radio" name="${name}" value="${value}"${isPicked ? ' checked' : ''}${isRequired ? ' required' : ''}> ${label}</label>
`
