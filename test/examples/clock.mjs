// Imported before a program: each SIGUSR2 moves its clock an hour forward.
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
