import { service } from '../../../service'

export const dynamic = 'force-dynamic'

export default async function Page({ params }) {
  const { id } = await params
  const outcome = await service().store.get(`outcome:${id}`)
  return <p>{outcome ?? 'none yet'}</p>
}
