// Runs the work of one row as often as each message requests, and reports the CPU of one run in microseconds.
const [module = '', name = '', ...settings] = process.argv.slice(2)
const { rows } = await import(module)
const row = await rows(...settings)[name]()

process.on('message', async (message) => {
  const times = Number(message)
  // Warms up what went cold since the last block: caches, connections, the size of the young generation.
  await row(times)
  const before = process.cpuUsage()
  await row(times)
  const { user, system } = process.cpuUsage(before)
  process.send?.((user + system) / times)
})
process.on('disconnect', () => process.exit())
process.send?.(0)

export {}
