/**
 * Loads the modules that clients load lazily. Each process loads a module once. If a test did that, mutants of its
 * constants would be counted as covered by that test, and would survive, because no later test loads it again.
 */
import '../../src/http/body/read-images.ts'
import '../../src/http/body/form-frames.node.ts'
import '../../src/http/sender/sender.ts'
import '../../src/http/spend/spend-guard.ts'
import '../../src/http/transport/default.node.ts'
import '../../src/http/transport/fetch-transport.ts'
