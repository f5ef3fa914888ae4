import { service } from '../../service'

/** Next leaves the body of a route handler raw, which is what the signature covers. */
export const POST = (request) => service().webhooks.fetch(request)
