import { ConfigurationError, checkTypes } from 'identity-service-sdk'
import type { Emulator, EmulatorOptions, EmulatorServer, ListenOptions } from 'identity-service-sdk/emulator'
import { isJsonObject } from '../../contract/schema/schema.ts'
import { type Environment, environmentOf } from '../../emulator/controls/environment.ts'
import { controlPath } from '../../emulator/model/addresses.ts'
import { CommandFailure } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { type EmulatorConfig, emptyConfig, readConfig } from './config-file.ts'
import { writeEnvFile } from './env-file.ts'
import { StateFile } from './state-file.ts'

/** The options of the command. */
export interface EmulatorFlags {
  readonly config?: string
  readonly state?: string
  readonly writeEnv?: string
  readonly port?: number
  readonly host: string
  readonly seed?: string
  readonly publicUrl?: string
  readonly allowRemote?: boolean
  readonly allowRemoteControls?: boolean
  readonly allowedHost: readonly string[]
  readonly redirectUri: readonly string[]
  readonly callback: readonly string[]
  readonly fault: readonly object[]
  readonly webhookFault: readonly object[]
  readonly check: readonly object[]
}

/** An emulator that listens. */
export interface RunningEmulator {
  readonly server: EmulatorServer
  /** The settings that connect an app to it. */
  readonly settings: Environment
  /** Stops listening, and writes the state. */
  stop(): Promise<void>
}

/** The port without `--port`, so that the settings of an app stay the same. */
export const usualPort = 4010

/** How many ports after the usual one are tried. */
const maxPortsTried = 20

/**
 * Starts an emulator.
 *
 * @param observe options of `createEmulator` that show what happens
 */
export async function startEmulator(
  shell: Shell,
  flags: EmulatorFlags,
  observe: Pick<EmulatorOptions, 'onRequest'> & Pick<NonNullable<EmulatorOptions['webhooks']>, 'deliver'>,
): Promise<RunningEmulator> {
  const config = flags.config === undefined ? emptyConfig : await readConfig(shell, flags.config)
  const emulator = await create(config, flags, observe)
  const state = flags.state === undefined ? undefined : await StateFile.open(flags.state, emulator)
  await addFaults(emulator, config, flags, state?.isRestored === true)
  const server = await listen(shell, emulator, listenOptions(flags), flags.port)
  const settings = settingsOf(emulator, server)
  try {
    if (flags.writeEnv !== undefined) await writeEnvFile(flags.writeEnv, settings)
    // Fails now, and not at the end, if the file cannot be written.
    await state?.save()
  } catch (error) {
    await server.close()
    throw error
  }
  const stopSaving = state?.saveRegularly(shell)
  const stop = async () => {
    stopSaving?.()
    await server.close()
    await state?.save()
  }
  return { server, settings, stop }
}

async function create(
  { options }: EmulatorConfig,
  { seed, redirectUri, callback, config: file }: EmulatorFlags,
  { onRequest, deliver }: Parameters<typeof startEmulator>[2],
): Promise<Emulator> {
  const { createEmulator } = await import('identity-service-sdk/emulator')
  const { oidc, webhooks } = options
  const redirectUris = [...(oidc?.redirectUris ?? []), ...redirectUri]
  const destinations = [...(webhooks?.destinations ?? []), ...callback]
  try {
    return createEmulator({
      onRequest,
      ...options,
      ...(seed !== undefined && { seed }),
      oidc: redirectUri.length > 0 ? { ...oidc, redirectUris } : oidc,
      // What is not an object is rejected.
      webhooks: isJsonObject(webhooks ?? {})
        ? { deliver, ...webhooks, ...(callback.length > 0 && { destinations }) }
        : webhooks,
    })
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    const message = error.message
      .replace('createEmulator: ', file === undefined ? '' : `--config: ${file}: `)
      .replace(/oidc\.redirectUris\.\d+/, redirectUri.length > 0 ? '--redirect-uri' : '$&')
      .replace(/webhooks\.destinations\.\d+/, callback.length > 0 ? '--callback' : '$&')
    throw new CommandFailure(message, { code: error.code })
  }
}

/**
 * Adds the faults and outcomes of the options. They replace those of a restored state, because at each start they would
 * be added again.
 */
async function addFaults(
  emulator: Emulator,
  config: EmulatorConfig,
  flags: EmulatorFlags,
  isRestored: boolean,
): Promise<void> {
  const { faults, webhookFaults, checks, options } = config
  if (isRestored && faults.length + flags.fault.length > 0) emulator.faults.clear()
  if (isRestored && webhookFaults.length + flags.webhookFault.length > 0) emulator.webhooks.faults.clear()
  if (isRestored && checks.length + flags.check.length > 0) {
    emulator.checks.clear()
    const { outcomes = {} } = options
    for (const type of checkTypes) if (outcomes[type]) emulator.checks.script(type, outcomes[type])
  }
  const inFile = (name: string) => (_: object, i: number) => `--config: ${flags.config}: ${name}.${i}`
  await postEach(emulator, 'faults', faults, inFile('faults'))
  await postEach(emulator, 'faults', flags.fault, () => '--fault')
  await postEach(emulator, 'webhooks/faults', webhookFaults, inFile('webhookFaults'))
  await postEach(emulator, 'webhooks/faults', flags.webhookFault, () => '--webhook-fault')
  await postEach(emulator, 'checks', checks, inFile('checks'))
  await postEach(emulator, 'checks', flags.check, () => '--check')
}

/** Adds values with the control API, which takes the JSON of the file and checks it. */
async function postEach(
  emulator: Emulator,
  control: string,
  values: readonly object[],
  nameOf: (value: object, i: number) => string,
): Promise<void> {
  for (const [i, value] of values.entries()) {
    const body = JSON.stringify(value)
    const response = await emulator.fetch(`http://localhost${controlPath}/${control}`, {
      method: 'POST',
      body,
    })
    if (response.ok) continue
    const { error } = Object(await response.json())
    throw new CommandFailure(error.message.replace(/^[\w.]+/, nameOf(value, i)), { code: 'emulator_misused' })
  }
}

const listenOptions = ({
  host,
  publicUrl,
  allowRemote,
  allowRemoteControls,
  allowedHost,
}: EmulatorFlags): ListenOptions => ({
  host,
  publicUrl,
  allowRemote,
  allowRemoteControls,
  allowedHosts: allowedHost,
})

/** Listens on the port of the options, or on the first free one from the usual port on. */
async function listen(
  shell: Shell,
  emulator: Emulator,
  options: ListenOptions,
  firstPort: number | undefined,
): Promise<EmulatorServer> {
  for (let port = firstPort ?? usualPort; ; port += 1) {
    try {
      const server = await emulator.listen({ ...options, port })
      if (firstPort === undefined && port !== usualPort)
        shell.log(`Port ${usualPort} is in use. The emulator listens on port ${port}.`)
      return server
    } catch (error) {
      const { code } = Object(Object(error).cause) as NodeJS.ErrnoException
      if (firstPort !== undefined || code !== 'EADDRINUSE' || port >= usualPort + maxPortsTried)
        throw withFlagNames(error)
    }
  }
}

/** Names the flags of the command instead of the options of `listen`. */
function withFlagNames(error: unknown): unknown {
  if (!(error instanceof ConfigurationError)) return error
  const { code = error.code } = Object(error.cause) as NodeJS.ErrnoException
  const named = error.message
    .replace('emulator.listen: ', '')
    .replace(/another (?=port|host)/, 'another --')
    .replace('Set allowRemote to true', 'Pass --allow-remote')
    .replace(/allowRemote\b/g, '--allow-remote')
    .replaceAll('publicUrl', '--public-url')
  return new CommandFailure(named, { code })
}

function settingsOf(emulator: Emulator, { url }: EmulatorServer): Environment {
  const { verification, org } = emulator.options
  return environmentOf({
    url,
    apiKey: verification.apiKey,
    clientId: org.clientId,
    clientSecret: org.clientSecret,
    webhookSecret: emulator.webhooks.secret,
  })
}
