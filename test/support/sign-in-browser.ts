import type { SignInApp } from './sign-in-app.ts'

/** A browser with only what sign-in needs: it stores cookies, and does not follow redirects. */
export function browserOf({ send, emulator }: Pick<SignInApp, 'send' | 'emulator'>) {
  const cookies = new Map<string, string>()
  const visit = async (path: string): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await send(path, cookie === '' ? {} : { headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0(?:;|$)/.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  /** Visits the login route. @returns the URL of the consent page */
  const startSignIn = async () => (await visit('/login')).headers.get('location') ?? ''
  const pathAndQuery = (url: string) => url.slice(new URL(url).origin.length)
  return {
    cookies,
    visit,
    startSignIn,
    /** Approves on the consent page. @returns path and query of the callback */
    approve: (consent: string) => pathAndQuery(emulator.signIn.approve(consent)),
    /** Declines on the consent page. @returns path and query of the callback */
    deny: (consent: string) => pathAndQuery(emulator.signIn.deny(consent)),
  }
}

/** Returns the reason on a page about a failed sign-in. */
export async function reasonOn(page: Response): Promise<string | undefined> {
  const [, reason] = /<small>(.*)<\/small>/.exec(await page.text()) ?? []
  return reason
}
