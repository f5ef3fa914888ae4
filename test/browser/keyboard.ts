import type { Locator, Page } from 'playwright-core'

interface PageElement {
  readonly localName: string
}
declare const document: { readonly activeElement: PageElement | null }
declare const getComputedStyle: (element: PageElement) => {
  readonly outlineStyle: string
  readonly outlineWidth: string
}

const maxStops = 100

/** Presses the tab key until the target has the focus. Throws if the focus is not visible at a stop on the way. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let stop = 0; stop < maxStops; stop += 1) {
    await page.keyboard.press('Tab')
    const { name, outline, isThere } = await target.evaluate((expected: PageElement) => {
      const focused = document.activeElement
      if (focused === null) return { name: 'body', outline: '', isThere: false }
      const { outlineStyle, outlineWidth } = getComputedStyle(focused)
      return {
        name: focused.localName,
        outline: `${outlineStyle} ${outlineWidth}`,
        isThere: focused === expected,
      }
    })
    // After the last element of the page, the body has the focus.
    if (name !== 'body' && outline !== 'solid 3px') throw new Error(`the focus of ${name} is not visible: ${outline}`)
    if (isThere) return
  }
  throw new Error(`the tab key does not reach ${target}`)
}

/** Moves to a button or a link with the tab key, then presses Enter. */
export async function enterOn(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}
