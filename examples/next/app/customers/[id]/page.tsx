import { service } from '../../../service'

export const dynamic = 'force-dynamic'

export default async function Page({ params }: PageProps<'/customers/[id]'>) {
  const { id } = await params
  const { state } = await service().verifications.get(decodeURIComponent(id))
  return <p>{state}</p>
}
