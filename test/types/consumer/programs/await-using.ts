// Closes what a script has opened when it ends.
import { OidcClient, OrgClient, VerificationClient } from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'

export async function outcome(): Promise<string | null> {
  await using client = new VerificationClient({ apiKey: process.env.SVC_API_KEY })
  const { decision } = await client.sessions.decision(process.env.SESSION_ID ?? '')
  return decision
}

export async function endToEnd(): Promise<number> {
  const emulator = createEmulator()
  await using server = await emulator.listen({ port: 0 })
  await using org = new OrgClient({ ...emulator.options.org, baseUrl: server.url, fetch: undefined })
  await using oidc = new OidcClient(emulator.options.oidc)
  await oidc.createAuthorization()
  return (await org.members.list()).members.length
}
