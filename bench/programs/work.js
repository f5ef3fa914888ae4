// Measures one work with tinybench, for as many milliseconds as each message requests. Replies with the CPU of one work,
// in microseconds.
import { peer } from '../peers.js'

const [module = '', name = '', times = '1', atOnce = '1', ...settings] = process.argv.slice(2)
const { Bench } = await peer('tinybench')
const { works } = await import(module)
const work = await works(...settings)[name]()

/** Does the work several times, because the clock is too coarse for once. */
async function sample() {
  let left = Number(times)
  const inTurn = async () => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: Number(atOnce) }, inTurn))
}

/**
 * The clock that tinybench reads. It counts the CPU of all threads, garbage collection included, because elapsed time
 * also contains what else runs on the machine.
 */
function now() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

process.on('message', async (time) => {
  // The warm-up is for what went cold since the last message: caches, connections, the size of the young generation.
  const often = { time, iterations: 1, warmupTime: time, warmupIterations: 1 }
  const bench = new Bench({ now, ...often, throws: true })
  const [task] = await bench.add(name, sample).run()
  process.send?.((task.result.latency.mean * 1000) / Number(times))
})
process.on('disconnect', () => process.exit())
process.send?.(0)
