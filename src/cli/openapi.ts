import type { Command } from 'commander'
import { subcommand } from './command.ts'
import type { Shell } from './shell.ts'

export function addOpenApi(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'openapi',
    summary: 'print the OpenAPI 3.1 document of the service',
    examples: ['openapi > openapi.json'],
    notes: `The document contains every operation and webhook of the service contract. It is also the file
identity-service-sdk/openapi.json of the package. It is JSON also without --json, which prints it in one
line. The command sends no requests.`,
    settings: false,
  }).action(async () => {
    // The schemas of the contract are loaded by this command only.
    const { createOpenApiDocument } = await import('#openapi')
    shell.printJson(createOpenApiDocument(), { singleLine: shell.json })
  })
}
