/**
 * Runs in the browser, on pages that contain something to copy or that change. The pages work without it.
 *
 * - Shows the buttons that copy the text next to them.
 * - Loads the page again each second, and replaces the parts that changed. A part stays while someone uses it: while it
 *   has an open list, selected text, the focus, or a field with another value.
 */
export const pageScript = `
document.addEventListener('click', async ({ target }) => {
  const button = target.closest('[data-copy]')
  if (button === null) return
  const label = button.firstChild
  try {
    await navigator.clipboard.writeText(button.parentElement.querySelector('code').textContent)
    label.textContent = 'Copied'
  } catch {
    label.textContent = 'Not copied'
  }
  setTimeout(() => { label.textContent = 'Copy' }, 1500)
})

const live = document.getElementById('live')
const shown = new Map()
for (const part of document.querySelectorAll('[data-live]')) shown.set(part.dataset.live, part.innerHTML)
const showButtons = () => {
  for (const button of document.querySelectorAll('[data-copy]')) button.hidden = false
}
showButtons()

const hasChanged = (field) =>
  field.matches('select')
    ? ![...field.selectedOptions].every((option) => option.defaultSelected)
    : field.value !== field.defaultValue

const isUsed = (part) => {
  const focused = document.activeElement
  const selection = getSelection()
  return part.querySelector('details[open]') !== null
    || (part.contains(focused) && focused.matches('a, button, input, select, summary'))
    || (!selection.isCollapsed && selection.containsNode(part, true))
    || [...part.querySelectorAll('input, select')].some(hasChanged)
}

async function refresh() {
  const response = await fetch(location.href)
  if (response.status === 404) location.reload()
  if (!response.ok) throw new Error(response.statusText)
  const next = new DOMParser().parseFromString(await response.text(), 'text/html')
  for (const part of document.querySelectorAll('[data-live]')) {
    const newer = next.querySelector('[data-live="' + part.dataset.live + '"]')
    if (newer === null || newer.innerHTML === shown.get(part.dataset.live) || isUsed(part)) continue
    shown.set(part.dataset.live, newer.innerHTML)
    part.replaceChildren(...newer.childNodes)
  }
  showButtons()
}

async function keepCurrent() {
  let state = 'Live'
  if (!document.hidden) await refresh().catch(() => { state = 'The emulator is not reachable' })
  if (live.textContent !== state) live.textContent = state
  setTimeout(keepCurrent, 1000)
}
if (live !== null) keepCurrent()
`
