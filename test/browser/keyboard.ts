import type { Locator, Page } from 'playwright-core'

interface PageElement {
  readonly localName: string
}
declare const document: { readonly activeElement: PageElement | null }
declare const getComputedStyle: (element: PageElement) => {
  readonly outlineStyle: string
  readonly outlineWidth: string
}

const mostStops = 100

/** Goes on with the tab key until something has the focus. Throws where a stop on the way is not seen to have it. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let stop = 0; stop < mostStops; stop += 1) {
    await page.keyboard.press('Tab')
    const { name, outline, isThere } = await target.evaluate((wanted: PageElement) => {
      const focused = document.activeElement
      if (focused === null) return { name: 'body', outline: '', isThere: false }
      const { outlineStyle, outlineWidth } = getComputedStyle(focused)
      return {
        name: focused.localName,
        outline: `${outlineStyle} ${outlineWidth}`,
        isThere: focused === wanted,
      }
    })
    // At the end of the page the focus goes through the body.
    if (name !== 'body' && outline !== 'solid 3px')
      throw new Error(`nobody sees the focus of ${name}: ${outline}`)
    if (isThere) return
  }
  throw new Error(`the tab key does not lead to ${target}`)
}

/** Goes to a button or a link with the tab key, and presses Enter. */
export async function enterOn(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}
