// Does the work of one row whenever it is told how often, and tells what one time of it cost, in microseconds of CPU.
const [module = '', name = '', ...settings] = process.argv.slice(2)
const { rows } = await import(module)
const row = await rows(...settings)[name]()

process.on('message', async (message) => {
  const times = Number(message)
  // What lay idle meanwhile comes back before it counts: caches, connections, the size of the young generation.
  await row(times)
  const before = process.cpuUsage()
  await row(times)
  const { user, system } = process.cpuUsage(before)
  process.send?.((user + system) / times)
})
process.on('disconnect', () => process.exit())
process.send?.(0)

export {}
