// Imports what it is given and prints, in milliseconds, the time since the process began and the CPU that it took.
await import(String(process.argv[2]))
const wall = performance.now()
const { user, system } = process.cpuUsage()
console.log(JSON.stringify({ wall, cpu: (user + system) / 1000 }))
process.exit()

export {}
