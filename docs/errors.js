// Rewrites the catalogue in docs/errors.md: `npm run build && node docs/errors.js`.
import { readFileSync, writeFileSync } from 'node:fs'
import { errorCatalog } from '../dist/errors.js'
import { withCatalogue } from './error-catalogue.js'

const page = new URL('errors.md', import.meta.url)
writeFileSync(page, withCatalogue(readFileSync(page, 'utf8'), errorCatalog))
