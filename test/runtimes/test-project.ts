import { createHmac } from 'node:crypto'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { claimsOf, clientId, idToken } from '../oidc/issuer.ts'
import { installPackage } from '../support/installed-package.ts'
import { unusedUrl } from '../support/loopback-server.ts'
import { anEvent, secret } from '../support/webhook.ts'
import type { Settings } from './program/app.mjs'
import { imageBytes } from './program/image.mjs'
import { localService } from './service.ts'

/** Creates a project with the packed package and the program, and starts the service that the program calls. */
export async function createTestProject(over: Partial<Settings> = {}) {
  const installed = await installPackage()
  await cp(fileURLToPath(new URL('program', import.meta.url)), installed.project, { recursive: true })
  const file = join(installed.project, 'Zoë.jpg')
  await writeFile(file, imageBytes())
  const service = await localService()
  const nowSeconds = Math.floor(Date.now() / 1000)
  const claims = { iss: service.url, iat: nowSeconds, nonce: 'nonce_1' }
  const body = JSON.stringify(anEvent())
  const signature = createHmac('sha256', secret).update(`${nowSeconds}.${body}`).digest('hex')
  const settings: Settings = {
    baseUrl: service.url,
    deadUrl: unusedUrl,
    clientId,
    secret,
    body,
    headers: {
      'x-svc-timestamp': String(nowSeconds),
      'x-svc-event-id': anEvent().event_id,
      'x-svc-signature': signature,
    },
    idToken: idToken(claimsOf({ ...claims, exp: nowSeconds + 900 })),
    expiredIdToken: idToken(claimsOf({ ...claims, exp: nowSeconds - 600 })),
    file,
    ...over,
  }
  return {
    folder: installed.project,
    settings,
    service,
    remove: async () => {
      await service.close()
      await installed.remove()
    },
  }
}

export type TestProject = Awaited<ReturnType<typeof createTestProject>>
