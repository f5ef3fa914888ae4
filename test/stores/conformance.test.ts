import { memoryStore } from '../../src/webhooks.ts'
import { testRules } from '../support/store-rules.ts'

let time = 0
const advance = (ms: number) => {
  time += ms
}

testRules('the memory store', () => memoryStore({ now: () => new Date(time) }), { advance })
