/** For `vi.waitFor` in tests of real processes and sockets, whose default of one second is too short on a busy machine. */
export const patient = { timeout: 20_000 }
