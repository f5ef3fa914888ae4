// Writes the OpenAPI document of the package. The build runs it.
import { writeFileSync } from 'node:fs'
import { createOpenApiDocument } from '../tools/openapi/document.ts'

writeFileSync('dist/openapi.json', `${JSON.stringify(createOpenApiDocument())}\n`)
