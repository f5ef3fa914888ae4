import { readFileSync } from 'node:fs'
import { readPage } from '../support/markdown.ts'

const pageAt = (path: string) => readPage(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))

/** Returns the source of a block that is not run as code: printed output, or a command. */
export function blockOf(path: string, language: string, name: string): string {
  const found = pageAt(path).blocks.find((block) => block.language === language && block.name === name)
  if (found === undefined) throw new Error(`${path} has no ${language} under "${name}"`)
  return found.source
}

/**
 * Returns the cells of one column of the table under a heading, without backticks.
 *
 * @param index of the column, starting at 0
 */
export function columnOf(path: string, heading: string, index = 0): string[] {
  const [, section = ''] = pageAt(path).prose.split(new RegExp(`^#+ ${heading}$`, 'm'))
  const rows = section.split(/^#/m)[0]?.match(/^\|.*$/gm) ?? []
  return rows.slice(2).map((row) =>
    String(row.split('|')[index + 1])
      .replaceAll('`', '')
      .trim(),
  )
}

/** Opens a hosted page and submits a choice. Returns the URL to which the person is redirected. */
export async function visitHostedPage(page: string, choice: 'approve' | 'decline'): Promise<string> {
  await fetch(page)
  const body = new URLSearchParams({ choice })
  const { headers } = await fetch(page, { method: 'POST', body, redirect: 'manual' })
  return String(headers.get('location'))
}
