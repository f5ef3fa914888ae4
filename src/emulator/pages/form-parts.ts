import { html } from 'hono/html'
import type { Markup } from './page.ts'

/** Renders what was wrong with a submitted form. @param problem a sentence; nothing is rendered without one */
export const errorMessage = (problem: string | undefined): Markup =>
  problem === undefined ? html`` : html`<p role="alert">${problem}</p>`

export const radioButton = ({
  name,
  value,
  label,
  isSelected,
  isRequired = false,
}: {
  readonly name: string
  readonly value: string
  readonly label: string
  readonly isSelected: boolean
  readonly isRequired?: boolean
}): Markup =>
  html`<label><input type="radio" name="${name}" value="${value}"${isSelected ? ' checked' : ''}${isRequired ? ' required' : ''}> ${label}</label>
`
