import { parseReturnUrl } from 'identity-service-sdk'

/** The browser may say anything: the page only tells the person that the result is on its way. */
export default async function Page({ searchParams }) {
  const { sessionId } = parseReturnUrl(`?${new URLSearchParams(await searchParams)}`)
  return <p>{sessionId ? 'Thank you. The result is on its way.' : 'Nothing to see here.'}</p>
}
