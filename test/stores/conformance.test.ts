import { memoryStore } from '../../src/webhooks.ts'
import { testStore } from './store-conformance.ts'

let time = 0
const now = () => time
const pass = async (ms: number) => {
  time += ms
}

testStore('the memory store', () => memoryStore({ now }), { now, pass })
