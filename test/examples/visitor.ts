/** A response as a browser sees it. */
interface Page {
  readonly status: number
  readonly text: string
  /** The address of the redirect, otherwise that of the page. */
  readonly next: string
}

/** A browser that keeps cookies and does not follow redirects by itself. */
export interface Visitor {
  /** @param form the form to post; without it the page is requested with GET */
  visit(address: string, form?: Readonly<Record<string, string>> | FormData): Promise<Page>
}

export function visitor(): Visitor {
  const cookies = new Map<string, string>()
  return {
    async visit(address, form) {
      const response = await fetch(address, {
        method: form ? 'POST' : 'GET',
        headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
        redirect: 'manual',
        ...(form ? { body: form instanceof FormData ? form : new URLSearchParams(form) } : {}),
      })
      for (const cookie of response.headers.getSetCookie()) {
        const [name = '', value = ''] = cookie.split(';')[0]?.split(/=(.*)/s) ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
      const location = response.headers.get('location')
      const next = location === null ? address : new URL(location, address).href
      return { status: response.status, text: await response.text(), next }
    },
  }
}
