export { GET } from '../../route.mjs'
export const dynamic = 'force-dynamic'
export const runtime = 'edge'
