import { execFile } from 'node:child_process'
import { chown } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { requireBinary } from './programs.ts'
import { type Service, serviceFolder, startService, unprivileged } from './service-process.ts'

const run = promisify(execFile)

/** Starts a MariaDB server with one empty database. This takes seconds, so start one for each test file. */
export async function startMariadb(): Promise<Service> {
  const [folder, user] = await Promise.all([serviceFolder('mariadbd'), unprivileged('mysql')])
  if (user) await chown(folder, user.uid, user.gid)
  const [data, socket] = [join(folder, 'data'), join(folder, 'socket')]
  const settings = ['--no-defaults', `--datadir=${data}`, `--socket=${socket}`]
  const install = ['--auth-root-authentication-method=normal', '--skip-test-db']
  await run(requireBinary('mariadb-install-db'), [...settings, ...install], { cwd: folder, ...user })
  const port = await freePort()
  return startService({
    command: requireBinary('mariadbd'),
    args: [
      ...settings,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--pid-file=${join(folder, 'pid')}`,
      // Durable writes would cost seconds. These tests crash no machine.
      '--innodb-flush-log-at-trx-commit=0',
    ],
    port,
    url: `mysql://root@127.0.0.1:${port}/tests`,
    folder,
    user,
    ready: () =>
      run(requireBinary('mariadb'), [
        ...['--no-defaults', `--socket=${socket}`, '--user=root'],
        ...['--execute', 'CREATE DATABASE IF NOT EXISTS tests'],
      ]),
  })
}
