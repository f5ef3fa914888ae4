/** Anyone can forge the parameters of this URL, so the page shows no outcome. */
export default async function Page({ searchParams }: PageProps<'/return'>) {
  const { session_id } = await searchParams
  return <p>{session_id ? 'Thank you. The result is on its way.' : 'The session id is missing.'}</p>
}
