// Runs the tests of changed files and the compiler at each change, side by side: `npm run watch`.
import { spawn } from 'node:child_process'

for (const command of [
  'npm run -s types -- --watch --preserveWatchOutput',
  'npx --no -- vitest --project together --changed',
])
  spawn(command, { stdio: 'inherit', shell: true }).on('exit', (status) => process.exit(status ?? 1))
