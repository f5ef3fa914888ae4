import { it } from 'vitest'
import type { OidcClient } from '../../src/index.ts'

export const code = 'code_1_0123456789abcdef'
export const nonce = 'nonce_1_0123456789abcdef'
export const codeVerifier = 'verifier_1_0123456789abcdef'
export const refreshToken = 'refresh_0_0123456789abcdef'

export const exchange = (oidc: OidcClient) => oidc.exchangeCode({ code })
export const refresh = (oidc: OidcClient) => oidc.refresh(refreshToken)

export const forBothGrants = it.each([
  { grant: 'a code exchange', send: exchange },
  { grant: 'a refresh', send: refresh },
])
