import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Results {
  readonly violations: readonly Finding[]
  readonly incomplete: readonly Finding[]
}

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly {
    readonly html: string
    readonly target: readonly string[]
    readonly any: readonly { readonly data?: { readonly messageKey?: string } | null }[]
  }[]
}

/** The groups of rules that can be checked. */
export type Rules = 'all' | 'contrast' | 'all but contrast'

const options = {
  all: { rules: { 'target-size': { enabled: true } } },
  contrast: { runOnly: ['color-contrast'] },
  'all but contrast': { rules: { 'target-size': { enabled: true }, 'color-contrast': { enabled: false } } },
} as const

/**
 * Returns the accessibility violations that axe finds on a page, of any impact. Findings that axe is not sure of are
 * included, except the contrast of drawings and of signs next to a word.
 */
export async function violationsOf(page: Page, rules: Rules = 'all'): Promise<readonly string[]> {
  const { violations, incomplete } = await run(page, rules)
  const unsure = incomplete.map((finding) => ({
    ...finding,
    nodes: finding.nodes.filter(({ html, any }) => {
      const reasons = any.map(({ data }) => data?.messageKey)
      const isDrawing = html.startsWith('<text') && reasons.includes('bgOverlap')
      const isSign = html.includes('aria-hidden="true"') && reasons.includes('nonBmp')
      return !(finding.id === 'color-contrast' && (isDrawing || isSign))
    }),
  }))
  return [...violations, ...unsure].flatMap(linesOf)
}

/** Returns the violations of which axe is sure, and which hinder people. */
export async function seriousViolationsOf(page: Page): Promise<readonly string[]> {
  const { violations } = await run(page, 'all')
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').flatMap(linesOf)
}

async function run(page: Page, rules: Rules): Promise<Results> {
  // Evaluated through the debugger, so that the page keeps its Content-Security-Policy.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(`${axe.source}; undefined`)
  const runOptions = JSON.stringify({ resultTypes: ['violations', 'incomplete'], ...options[rules] })
  return page.evaluate(`axe.run(${runOptions})`)
}

const linesOf = ({ id, impact, nodes }: Finding) =>
  nodes.map(({ target, any }) => `${id} (${impact}) ${target} ${JSON.stringify(any.map(({ data }) => data))}`)
