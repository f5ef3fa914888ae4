// Is imported before a program. Each SIGUSR2 advances the program's clock by an hour.
let aheadMs = 0
const now = () => realNow() + aheadMs
const { now: realNow } = Date

globalThis.Date = new Proxy(Date, {
  construct: (Real, args) => (args.length === 0 ? new Real(now()) : Reflect.construct(Real, args)),
  get: (Real, name) => (name === 'now' ? now : Reflect.get(Real, name)),
})

process.on('SIGUSR2', () => {
  aheadMs += 3_600_000
  console.log(`clock moved by ${aheadMs} ms`)
})
