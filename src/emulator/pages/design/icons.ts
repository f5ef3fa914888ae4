import activity from 'feather-icons/dist/icons/activity.svg'
import alertTriangle from 'feather-icons/dist/icons/alert-triangle.svg'
import checkCircle from 'feather-icons/dist/icons/check-circle.svg'
import clock from 'feather-icons/dist/icons/clock.svg'
import creditCard from 'feather-icons/dist/icons/credit-card.svg'
import grid from 'feather-icons/dist/icons/grid.svg'
import key from 'feather-icons/dist/icons/key.svg'
import send from 'feather-icons/dist/icons/send.svg'
import shield from 'feather-icons/dist/icons/shield.svg'
import userCheck from 'feather-icons/dist/icons/user-check.svg'
import users from 'feather-icons/dist/icons/users.svg'
import xCircle from 'feather-icons/dist/icons/x-circle.svg'
import zap from 'feather-icons/dist/icons/zap.svg'
import { html, raw } from 'hono/html'

const drawings = {
  activity,
  alertTriangle,
  checkCircle,
  clock,
  creditCard,
  grid,
  key,
  send,
  shield,
  userCheck,
  users,
  xCircle,
  zap,
} as const

export type IconName = keyof typeof drawings

/** Renders a drawing that says nothing that the text next to it does not say. */
export const icon = (name: IconName) => html`<span class="icon" aria-hidden="true">${raw(drawings[name])}</span>`

/** The icon of the browser's tab, as an address that needs no request. */
export const tabIcon = `data:image/svg+xml,${encodeURIComponent(
  shield.replace('currentColor', '#3d7de0').replace('<svg ', '<svg fill-opacity="0" '),
)}`
