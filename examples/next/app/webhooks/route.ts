import { service } from '../../service'

/** Next does not parse the body of a route handler, so the signature can be verified. */
export const POST = (request: Request) => service().webhooks.fetch(request)
