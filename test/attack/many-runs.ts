import fc from 'fast-check'
import { seed, tries } from './size.ts'

// Replays what a file tried at random.
console.log(`SEED=${seed} npm run attack`)

// Applies to every property that sets no number of its own.
fc.configureGlobal({ seed, numRuns: tries(100, 2000) })
