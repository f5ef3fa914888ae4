import base from '@knadh/oat/css/00-base.css'
import details from '@knadh/oat/css/accordion.css'
import alert from '@knadh/oat/css/alert.css'
import badge from '@knadh/oat/css/badge.css'
import button from '@knadh/oat/css/button.css'
import card from '@knadh/oat/css/card.css'
import form from '@knadh/oat/css/form.css'
import table from '@knadh/oat/css/table.css'
import { raw } from 'hono/html'
import components from './components.css'
import tokens from './tokens.css'

/**
 * The stylesheet of all pages. The library's rules are in layers, so ours win over them. In both color schemes, texts
 * have a contrast of at least 4.5, and borders of controls of at least 3. No meaning depends on color alone.
 */
export const stylesheet = raw([base, button, form, table, card, badge, alert, details, tokens, components].join('\n'))
