import '@shikijs/vitepress-twoslash/style.css'
import TwoslashFloatingVue from '@shikijs/vitepress-twoslash/client'
import type { Theme } from 'vitepress'
import theme from 'vitepress/theme'
import './style.css'

export default {
  extends: theme,
  enhanceApp: ({ app }) => void app.use(TwoslashFloatingVue),
} satisfies Theme
