import { startPostgres } from '../support/postgres-server.ts'

/** Starts one server for all runs of a process, because starting one takes longer than most runs. */
export async function setup(): Promise<() => Promise<void>> {
  const server = await startPostgres()
  process.env.SVC_TESTS_POSTGRES = server.url
  return () => server.remove()
}
