import { memoryStore } from '../../src/webhooks.ts'
import { keepsTheRulesOfStores } from './store-conformance.ts'

keepsTheRulesOfStores('the memory store', () => memoryStore())
