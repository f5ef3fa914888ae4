// Imports the given module, by its name or its path. Prints the CPU that the process used, in milliseconds.
await import(String(process.argv[2]))
const { user, system } = process.cpuUsage()
console.log((user + system) / 1000)
process.exit()

export {}
