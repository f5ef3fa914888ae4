// Measures calls to an emulator in the process, as test suites make them by the thousand.
import { compareCpu } from '../cpu.js'
import { report } from '../result.js'

report('emulator', [
  await compareCpu('emulator', {
    title: 'One at a time',
    of: 'call',
    times: 20,
    settings: [],
    // An emulator creates much garbage, and a stub almost none: their ratio differs by half with the load of the machine.
    tolerance: 2,
    own: { 'sessions.retrieve': undefined, 'checks.age': undefined, 'sessions.create': undefined },
  }),
])
