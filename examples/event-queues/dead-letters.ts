// Events that failed in every attempt. `npx tsx dead-letters.ts` counts them, `npx tsx dead-letters.ts retry` puts them
// back into the queue, with all attempts again. Do that when the cause is fixed.
import { openQueue } from './queue.ts'

const queue = await openQueue()
if (process.argv[2] === 'retry') await queue.retryDeadLetters()
console.log(`${await queue.countDeadLetters()} dead letters`)
await queue.close()
