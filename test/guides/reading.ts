import { readFileSync } from 'node:fs'
import { signWebhook, verifyWebhook, WebhookVerificationError } from '../../src/webhooks.ts'
import { readPage } from '../support/markdown.ts'
import { anEvent } from '../support/webhook.ts'

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

/**
 * Returns the message of the error for a delivery that was signed with another secret.
 *
 * @param owner the function that created the handler
 */
export async function forgeryMessage(owner: string): Promise<string> {
  const forged = await signWebhook({ event: anEvent(), secret: 'another secret' })
  try {
    await verifyWebhook({ ...forged, secret: 'the secret' })
  } catch (error) {
    if (error instanceof WebhookVerificationError && error.reason === 'signature_mismatch')
      return error.message.replace('verifyWebhook', owner)
    throw error
  }
  throw new Error('the forged delivery was accepted')
}
