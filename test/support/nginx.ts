import { readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort } from './free-port.ts'
import { requireBinary } from './programs.ts'
import { selfSigned } from './self-signed.ts'
import { type Service, serviceFolder, startService } from './service-process.ts'

/** Settings of nginx in front of a server. */
export interface NginxOptions {
  /** URLs of the loopback servers to which requests are forwarded. With several URLs nginx may try the next one. */
  readonly upstream: string | readonly string[]
  /** @default false */
  readonly http2?: boolean | undefined
  /** Further directives of the server, for example `client_max_body_size 64k`. */
  readonly directives?: readonly string[] | undefined
  /** Runs a master and a worker process, so that nginx can be reloaded. @default false */
  readonly reloads?: boolean | undefined
}

/** A request in the access log. */
export interface LoggedRequest {
  readonly path: string
  readonly status: number
  /** For example `HTTP/2.0`. */
  readonly protocol: string
  readonly idempotencyKey: string | undefined
}

/** A real nginx on a loopback port, with TLS and an access log. */
export class Nginx {
  readonly url: string
  readonly #service: Service
  readonly #folder: string
  #up = Promise.resolve()

  private constructor(service: Service, folder: string) {
    this.#service = service
    this.#folder = folder
    this.url = service.url
  }

  /** Starts nginx until the test ends. */
  static async start(options: NginxOptions): Promise<Nginx> {
    const [port, folder] = await Promise.all([freePort(), serviceFolder('nginx')])
    await mkdir(join(folder, 'temporary'))
    const config = join(folder, 'nginx.conf')
    await Promise.all([
      writeFile(join(folder, 'key.pem'), selfSigned.key),
      writeFile(join(folder, 'cert.pem'), selfSigned.cert),
      writeFile(config, configuration(port, folder, options)),
    ])
    const service = await startService({
      command: requireBinary('nginx'),
      args: ['-e', 'stderr', '-p', folder, '-c', config],
      port,
      url: `https://127.0.0.1:${port}`,
      folder,
      ready: () => connected(port),
    })
    onTestFinished(async () => {
      // Killing the master would leave its worker running.
      await service.stop()
      await service.remove()
    })
    return new Nginx(service, folder)
  }

  /** Closes every connection and starts again. {@link up} resolves afterwards. */
  restart(): Promise<void> {
    this.#up = this.#service.stop().then(() => this.#service.start())
    return this.#up
  }

  /** Starts a new worker. The old worker finishes its requests and closes its connections. */
  reload(): void {
    const master = Number(readFileSync(join(this.#folder, 'nginx.pid'), 'utf8'))
    process.kill(master, 'SIGHUP')
  }

  get up(): Promise<void> {
    return this.#up
  }

  /** The requests so far. A request is logged a moment after its response. */
  async log(): Promise<LoggedRequest[]> {
    const lines = (await readFile(join(this.#folder, 'access.log'), 'utf8')).split('\n')
    return lines.slice(0, -1).map((line) => {
      const [path = '', status, protocol = '', key = '-'] = line.split(' ')
      return { path, status: Number(status), protocol, idempotencyKey: key === '-' ? undefined : key }
    })
  }
}

function connected(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve()
    })
    socket.once('error', reject)
  })
}

const temporaryPaths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

function configuration(port: number, folder: string, options: NginxOptions): string {
  const { upstream, http2 = false, directives = [], reloads = false } = options
  const servers = [upstream].flat().map((url) => `server ${new URL(url).host} max_fails=0;`)
  const lines = (all: readonly string[]) => all.join('\n')
  return `
daemon off;
master_process ${reloads ? 'on' : 'off'};
user ${userInfo().username};
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 512; }
http {
  log_format calls '$uri $status $server_protocol $http_idempotency_key';
  access_log ${folder}/access.log calls;
  ${lines(temporaryPaths.map((name) => `${name}_temp_path ${folder}/temporary/${name};`))}
  upstream behind { ${lines(servers)} }
  server {
    listen 127.0.0.1:${port} ssl${http2 ? ' http2' : ''};
    ssl_certificate cert.pem;
    ssl_certificate_key key.pem;
    ${lines(directives.map((directive) => `${directive};`))}
    location / {
      proxy_pass http://behind;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
    }
  }
}
`
}
