import { parseReturnUrl } from 'identity-service-sdk'

/** Anyone can forge the parameters of this URL, so the page shows no outcome. */
export default async function Page({ searchParams }) {
  const { sessionId } = parseReturnUrl(`?${new URLSearchParams(await searchParams)}`)
  return <p>{sessionId ? 'Thank you. The result is on its way.' : 'The session id is missing.'}</p>
}
