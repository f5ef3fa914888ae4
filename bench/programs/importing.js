// Imports the given module, by its name or its path. Prints the time since the process started and the CPU used, in
// milliseconds.
await import(String(process.argv[2]))
const wall = performance.now()
const { user, system } = process.cpuUsage()
console.log(JSON.stringify({ wall, cpu: (user + system) / 1000 }))
process.exit()

export {}
