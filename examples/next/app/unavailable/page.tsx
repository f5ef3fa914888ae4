export default async function Page({ searchParams }: PageProps<'/unavailable'>) {
  const { request } = await searchParams
  return <p>Verification is not available. If this persists, contact support with this id: {request}</p>
}
