import { organizationEndpoints } from '../contract/organization/endpoints.ts'
import { legacyEndpoints } from '../contract/sign-in/legacy.ts'
import { oidcEndpoints } from '../contract/sign-in/oidc.ts'
import { verificationEndpoints } from '../contract/verification/endpoints.ts'
import { activationPath, hostedPath } from '../emulator/pages/addresses.ts'

/** What paths have in common, whole segments of it, the last one of each left out. */
function rootOf(paths: readonly { readonly path: string }[]): string {
  const [first = [], ...others] = paths.map(({ path }) => path.split('/').slice(0, -1))
  const parting = first.findIndex((segment, i) => others.some((other) => other[i] !== segment))
  return first.slice(0, parting < 0 ? undefined : parting).join('/')
}

/** Below these the identity host answers: the verification API, sign-in and the hosted pages. */
export const identityRoots: readonly string[] = [
  verificationEndpoints,
  oidcEndpoints,
  legacyEndpoints,
  [{ path: hostedPath }],
].map(rootOf)

/** Below these the organization's host answers: its API, and the pages that its links lead to. */
export const organizationRoots: readonly string[] = [organizationEndpoints, [{ path: activationPath }]].map(
  rootOf,
)
