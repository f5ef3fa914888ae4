import { readKeys } from '../../contract/sign-in/oidc.ts'
import { usableKeys } from '../../oidc/jwks/signing-keys.ts'
import type { Surroundings } from '../shell.ts'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'
import { patienceMs } from './host.ts'

const check = 'keys'

/** Whether id_tokens could be checked with what the service publishes. */
export async function checkKeys(
  baseUrl: string,
  { fetch = globalThis.fetch }: Surroundings,
): Promise<Finding> {
  let set: unknown
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const response = await fetch(baseUrl + readKeys.path, { redirect: 'manual', signal })
    if (!response.ok) throw new Error(`${readKeys.path} answers ${response.status}`)
    set = await response.json()
  } catch (error) {
    const reason = error instanceof SyntaxError ? `${readKeys.path} is no JSON` : reasonOf(error)
    return fail(check, reason, 'nobody can be signed in: check SVC_BASE_URL, or ask who runs the service')
  }
  const { keys = (set as { data?: { keys?: unknown } } | null)?.data?.keys } = Object(set) as {
    keys?: unknown
  }
  const found = usableKeys(Array.isArray(keys) ? keys : [])
  const strong = found.filter(({ isWeak }) => !isWeak)
  const ask = 'ask who runs the service'
  if (strong.length === 0)
    return fail(check, `${found.length === 0 ? 'no RSA key' : 'no RSA key of 2048 bits or more'}`, ask)
  if (strong.length < found.length)
    return warn(check, `${strong.length} usable, and one or more under 2048 bits`, ask)
  return ok(check, `${strong.length} usable, RSA of 2048 bits or more`)
}
