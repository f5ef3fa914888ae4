import { readFileSync } from 'node:fs'
import { readPage } from '../support/markdown.ts'

const pageAt = (path: string) => readPage(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))

/** The source of a block that is no code to run: what is printed, or typed. */
export function blockOf(path: string, language: string, name: string): string {
  const found = pageAt(path).blocks.find((block) => block.language === language && block.name === name)
  if (found === undefined) throw new Error(`${path} has no ${language} under "${name}"`)
  return found.source
}

/**
 * A column of the table under a heading, without its marks.
 *
 * @param index counted from 0
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

/** What the person does on the page of a session. @returns where they are sent */
export async function visitHostedPage(page: string, choice: 'approve' | 'decline'): Promise<string> {
  await fetch(page)
  const body = new URLSearchParams({ choice })
  const { headers } = await fetch(page, { method: 'POST', body, redirect: 'manual' })
  return String(headers.get('location'))
}
