// Rewrites the catalog in docs/reference/errors.md: `npm run build && node docs/reference/errors.js`.
import { readFileSync, writeFileSync } from 'node:fs'
import { errorCatalog } from '../../dist/errors.js'
import { withCatalog } from './error-catalog.js'

const page = new URL('errors.md', import.meta.url)
writeFileSync(page, withCatalog(readFileSync(page, 'utf8'), errorCatalog))
