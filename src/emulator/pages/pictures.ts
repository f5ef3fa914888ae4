import { html } from 'hono/html'
import type { CheckType } from '../../contract/verification/check-data.ts'
import { samplePerson } from '../model/checks/samples.ts'
import type { Markup } from './design/components.ts'

/** Draws a face, centered at `x` and `y`. It is 40 units wide at scale 1. */
const face = (x: number, y: number, scale: number) => html`<g transform="translate(${x} ${y}) scale(${scale})">
<ellipse rx="20" ry="26"/><circle cx="-8" cy="-5" r="2"/><circle cx="8" cy="-5" r="2"/><path d="M-9 10q9 8 18 0M0-2v6"/>
</g>`

const text = (x: number, y: number, words: string) =>
  html`<text x="${x}" y="${y}" font-size="12" fill="currentColor" stroke="none">${words}</text>`

const picture = (description: string, drawing: Markup) =>
  html`<svg role="img" aria-label="${description}" viewBox="0 0 240 150" width="240" height="150" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round">${drawing}</svg>`

/** A drawing of what the camera would see, for each type of check. */
export const pictures: { readonly [Type in CheckType]: Markup } = {
  id_verification: picture(
    `An identity card of ${samplePerson.name}`,
    html`<rect x="10" y="10" width="220" height="130" rx="12"/><rect x="26" y="44" width="64" height="80" rx="4"/>
${face(58, 84, 1)}${text(26, 34, 'IDENTITY CARD')}${text(104, 62, samplePerson.name)}${text(104, 84, samplePerson.dob)}
<path d="M104 104h108M104 120h80"/>`,
  ),
  liveness: picture(
    'A face in a camera frame',
    html`<path d="M60 40V14h26M154 14h26v26M180 110v26h-26M86 136H60v-26"/>${face(120, 75, 1.7)}`,
  ),
  face_match: picture(
    'The face on a document next to a face in front of the camera',
    html`<rect x="14" y="28" width="84" height="94" rx="6"/>${face(56, 75, 1.2)}${face(184, 75, 1.5)}
<path d="M114 68h24M114 82h24"/>`,
  ),
  age: picture(
    `A calendar with the date of birth ${samplePerson.dob}`,
    html`<rect x="50" y="26" width="140" height="108" rx="8"/><path d="M50 56h140M84 14v24M156 14v24"/>
${text(88, 100, samplePerson.dob)}`,
  ),
  credential: picture(
    `A professional license of ${samplePerson.name}`,
    html`<rect x="30" y="12" width="180" height="126" rx="4"/>${text(50, 42, 'PROFESSIONAL LICENSE')}
${text(50, 66, samplePerson.name)}<path d="M50 84h90M50 100h70"/><circle cx="176" cy="100" r="16"/>
<path d="M168 114l-4 18 12-8 12 8-4-18"/>`,
  ),
  location: picture(
    'A pin on a map',
    html`<path d="M20 34l60-18 80 18 60-18v100l-60 18-80-18-60 18zM80 16v100M160 34v100"/>
<path fill="currentColor" fill-opacity=".25" d="M120 104c-22-28-26-36-26-46a26 26 0 0 1 52 0c0 10-4 18-26 46z"/><circle cx="120" cy="58" r="9"/>`,
  ),
}
