import { keysPath } from '../../contract/sign-in/oidc.ts'
import { usableKeys } from '../../oidc/jwks/jwks-cache.ts'
import { readBytes } from '../../runtime/bytes.ts'
import { CommandFailure, reasonOf } from '../failure.ts'
import { proxiedFetch } from '../proxied-fetch.ts'
import type { CliContext } from '../shell.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import { requestTimeoutMs } from './host.ts'

const check = 'keys'

/** The client reads no larger key sets either. In bytes. */
const maxKeySetBytes = 512 * 1024

/** Checks whether the published keys can verify id_tokens. */
export async function checkKeys(baseUrl: string, context: CliContext): Promise<Finding> {
  let keySet: unknown
  try {
    const signal = AbortSignal.timeout(requestTimeoutMs)
    const response = await proxiedFetch(context, baseUrl + keysPath, { redirect: 'manual', signal })
    if (!response.ok) throw new CommandFailure(`${keysPath} responded with ${response.status}`)
    const bytes = await readBytes(response.body, maxKeySetBytes)
    if (bytes === undefined)
      throw new CommandFailure(`the response of ${keysPath} is larger than ${maxKeySetBytes} bytes`)
    keySet = JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    const reason = error instanceof SyntaxError ? `the response of ${keysPath} is not JSON` : reasonOf(error)
    return fail(
      check,
      reason,
      'id_tokens cannot be verified: check SVC_BASE_URL, or contact the operator of the service',
    )
  }
  const { keys = (keySet as { data?: { keys?: unknown } } | null)?.data?.keys } = Object(keySet) as {
    keys?: unknown
  }
  const usable = usableKeys(Array.isArray(keys) ? keys : [])
  const strong = usable.filter(({ isWeak }) => !isWeak)
  const advice = 'contact the operator of the service'
  if (strong.length === 0)
    return fail(check, usable.length === 0 ? 'no usable RSA key' : 'no RSA key of 2048 bits or more', advice)
  if (strong.length < usable.length)
    return warn(check, `${strong.length} usable, and at least one with fewer than 2048 bits`, advice)
  return ok(check, `${strong.length} usable, RSA of 2048 bits or more`)
}
