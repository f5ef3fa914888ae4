import type { HostedApp } from './hosted-verification.ts'

/** Starts a verification in an app that requires a sign-in first. */
export const signInAndBegin: HostedApp['begin'] = async ({ url }, browser, user) => {
  const { next: consentPage } = await browser.visit(`${url}/login`)
  const { next: callback } = await browser.visit(consentPage, { user, choice: 'approve' })
  await browser.visit(callback)
  return browser.visit(`${url}/verification`, {})
}
