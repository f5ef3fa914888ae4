import { ConfigurationError } from '../errors/sdk-error.ts'
import { nodeVersionFault } from '../runtime/environment.ts'
import { longestTimerMs } from '../runtime/timing.ts'
import { nearestName } from './nearest-name.ts'

/** A rule for the value of an option. */
export interface Rule {
  /** What a message says after "must": `be a function`. */
  readonly form: string
  readonly allows: (value: unknown) => boolean
  /** Whether the option has no default. */
  readonly isRequired?: true
}

/**
 * The options that exist, each with the rule for its value, or `true` if other code checks it. A check compiles only
 * with the rules of all options of its type. For a union, the options of all its members.
 */
export type OptionRules<Options> = Readonly<
  Record<Options extends unknown ? keyof Options & string : never, Rule | true>
>

export type AnyRules = Readonly<Record<string, Rule | true>>

/** Joins rules. Mark a call as pure, so that bundlers drop the rules of what a program does not use. */
export const joinRules = <const A extends object, const B extends object>(a: A, b: B): A & B => ({
  ...a,
  ...b,
})

export const aFunction: Rule = { form: 'be a function', allows: (value) => typeof value === 'function' }
export const trueOrFalse: Rule = { form: 'be true or false', allows: (value) => typeof value === 'boolean' }
export const aLogger: Rule = {
  form: 'have the methods debug, info, warn and error',
  allows: (logger) => ['debug', 'info', 'warn', 'error'].every((level) => typeof Object(logger)[level] === 'function'),
}
export const aHandlerName: Rule = {
  // Without a colon, which ends the name in a key of a store.
  form: 'have 1 to 64 letters, digits, underscores, dots and hyphens',
  allows: (value) => typeof value === 'string' && /^[\w.-]{1,64}$/.test(value),
}
export const positiveWholeNumber: Rule = {
  form: 'be a positive whole number',
  allows: (value) => Number.isSafeInteger(value) && (value as number) > 0,
}

export const notBlank: Rule = {
  form: 'be a string that is not blank',
  allows: (value) => typeof value === 'string' && value.trim() !== '',
}

/**
 * A rule for a secret: what is copied with it, such as the line break of a file or the byte order mark at its start,
 * would make it another one. In a template, a variable
 * that is not set becomes the text `undefined`, which everybody knows.
 */
export const aSecret: Rule = {
  form: 'be one visible line without spaces around it, not undefined or null',
  allows: (value) => typeof value === 'string' && !/^\s|\p{C}|\s$|^(?:undefined|null)$/u.test(value),
}

/**
 * Returns the secrets of an option that takes one or a list. `undefined` and `''` are left out: while secrets are
 * rotated, it is an environment variable that is not set yet, or not any more.
 *
 * @param name the option with its owner, such as `loginMarkers: secret`
 * @param advice what to do if there is none, or if one breaks the rule
 * @throws {ConfigurationError} one of the two
 */
export function readSecrets(name: string, option: unknown, advice: string): readonly string[] {
  const secrets = [option].flat().filter(Boolean)
  if (secrets.length && secrets.every(aSecret.allows)) return secrets as string[]
  throw new ConfigurationError({
    message: `${name} ${secrets.length ? `must ${aSecret.form}` : 'is missing'}: ${advice}`,
  })
}

/** The same rule for an option that has no default. */
export const required = (rule: Rule): Rule => ({ ...rule, isRequired: true })

/** A rule for one of several texts. */
export const oneOfTexts = (texts: readonly string[]): Rule => {
  const quoted = texts.map((text) => `'${text}'`)
  return {
    form: `be ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`,
    allows: (value) => texts.some((text) => text === value),
  }
}

/** Both bounds are allowed. @default `to`: none */
interface Bounds {
  readonly from: number
  readonly to?: number
}

/** A rule for a whole number. @param unit such as ` of milliseconds` */
export const wholeNumberWithin = ({ from, to }: Bounds, unit = ''): Rule => ({
  form: `be a whole number${unit}${to === undefined ? `, ${from} or more` : ` from ${from} to ${to}`}`,
  allows: (value) =>
    Number.isSafeInteger(value) && (value as number) >= from && (value as number) <= (to ?? Number.MAX_SAFE_INTEGER),
})

/** A rule for a time. */
export const milliseconds = (bounds: Bounds): Rule => wholeNumberWithin(bounds, ' of milliseconds')

/** As long as a timer can wait. */
export const timeSpan = /* @__PURE__ */ milliseconds({ from: 1, to: longestTimerMs })

export const errorDetailRule = /* @__PURE__ */ oneOfTexts(['full', 'safe'])

const printable = /^[\w$.-]{1,64}$/

/** What is wrong with an option. `path` is its name. */
export interface OptionIssue {
  readonly path: string
  readonly message: string
}

/** Finds names that are not listed, inherited or missing, and values that break a rule. A value is never quoted. */
export function optionIssues(options: object, rules: AnyRules): OptionIssue[] {
  const values = options as Readonly<Record<string, unknown>>
  const issues: OptionIssue[] = []
  for (const name of Object.keys(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined)
      issues.push({ path: printable.test(name) ? name : '?', message: notAnOption(name, Object.keys(rules)) })
    else if (rule !== true && values[name] !== undefined && !rule.allows(values[name]))
      issues.push({ path: name, message: `must ${rule.form}` })
  }
  for (const name of Object.keys(rules)) {
    const rule = rules[name]
    // The loop above sees no inherited value, and any code of the process can add one to the prototype of all objects.
    if (name in options && !Object.hasOwn(options, name)) issues.push({ path: name, message: 'must not be inherited' })
    else if (typeof rule === 'object' && rule.isRequired && values[name] === undefined)
      issues.push({ path: name, message: `must ${rule.form}` })
  }
  return issues
}

function notAnOption(name: string, listed: readonly string[]): string {
  const nearest = nearestName(name, listed)
  const advice = nearest === undefined ? `The options are ${listed.join(', ')}.` : `Did you mean ${nearest}?`
  return `is not an option. ${advice}`
}

/**
 * Rejects options that are not an object, names that are not listed, values that break a rule, and a Node that is too
 * old. Call it first, before an option is read.
 *
 * @param owner what takes the options: a class, a function or a method
 * @param path what the names are below, such as `jwks.`
 * @throws {ConfigurationError}
 *
 * @example
 * checkOptions('redisStore', options, optionRules)
 */
export function checkOptions<Options>(
  owner: string,
  options: Options,
  rules: OptionRules<Options>,
  path = '',
): asserts options is Options & object {
  // Here, because everything with options calls this first: on an older Node, any later step may fail.
  checkNode(owner)
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ConfigurationError({
      message: `${owner}: ${path === '' ? 'the options' : path.slice(0, -1)} must be an object, not ${kindOf(options)}. The options are ${Object.keys(rules).join(', ')}.`,
    })
  }
  const [issue] = optionIssues(options, rules)
  if (issue) throw new ConfigurationError({ message: `${owner}: ${path}${issue.path} ${issue.message}` })
}

/**
 * Rejects a value that breaks a rule. `undefined` stands for the default.
 *
 * @param owner what takes the option: a class or a function
 * @throws {ConfigurationError}
 */
export function checkOption(owner: string, name: string, value: unknown, { allows, form }: Rule): void {
  if (value !== undefined && !allows(value)) throw new ConfigurationError({ message: `${owner}: ${name} must ${form}` })
}

/**
 * Rejects an option that is not an object with certain methods, such as a store or a client.
 *
 * @param owner what takes the option: a class or a function
 * @param what what to pass, such as `an OidcClient`
 * @throws {ConfigurationError}
 *
 * @example
 * checkMethods('createTokenManager', 'oidc', oidc, ['refresh'], 'an OidcClient')
 */
export function checkMethods<Option>(
  owner: string,
  name: string,
  option: Option | null | undefined,
  methods: readonly (keyof Option & string)[],
  what: string,
): void {
  if (option === undefined || option === null)
    throw new ConfigurationError({ message: `${owner}: ${name} is missing: pass ${what}` })
  const missing = methods.find((method) => typeof option[method] !== 'function')
  if (missing === undefined) return
  throw new ConfigurationError({ message: `${owner}: ${name} must be ${what}: it has no method ${missing}` })
}

/**
 * Rejects a Node that is too old.
 *
 * @param owner what is called: a class, a function or a method
 * @throws {ConfigurationError}
 */
export function checkNode(owner: string): void {
  if (nodeVersionFault !== undefined) throw new ConfigurationError({ message: `${owner}: ${nodeVersionFault}` })
}

/** Names the kind of a value without quoting it, because it may be a secret: `a string`, `an array`, `undefined`. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && Symbol.iterator in value) return 'an iterable'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
