// Preloaded into another program (`node --import`): prints the CPU that its process used, in milliseconds, as the last
// line.
process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  console.log(`CPU: ${(user + system) / 1000}`)
})

export {}
