export default async function Page({ searchParams }) {
  const { request } = await searchParams
  return <p>Verification is not available. If it stays so, tell us: {request}</p>
}
