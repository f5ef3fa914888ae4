import { expect } from 'vitest'
import type { Service } from './service.ts'

/** Opens a page and presses one of its buttons, as a browser does. Returns the address that it is redirected to. */
export async function pressButton({ raw }: Pick<Service, 'raw'>, page: string, label: RegExp): Promise<string> {
  const { text } = await raw('GET', page)
  const buttons = [...text.matchAll(/<button[^>]* name="(.*?)" value="(.*?)"[^>]*>(.*?)<\/button>/g)]
  const [, name = '', value = ''] = buttons.find((button) => label.test(button[3] ?? '')) ?? []
  const { status, headers } = await raw('POST', page, { body: new URLSearchParams({ [name]: value }) })
  expect(status).toBe(303)
  return headers.get('location') ?? ''
}
