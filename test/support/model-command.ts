import fc from 'fast-check'

/** Returns a function that creates commands on a model and the real thing. They are always allowed. */
export const commandsOn =
  <Model extends object, Real>() =>
  <Params extends object>(
    name: string,
    params: { [Name in keyof Params]: fc.Arbitrary<Params[Name]> },
    run: (model: Model, real: Real, params: Params) => Promise<void>,
  ): fc.Arbitrary<fc.AsyncCommand<Model, Real>> =>
    fc.record(params).map((drawn) => ({
      check: () => true,
      run: (model, real) => run(model, real, drawn as Params),
      toString: () => `${name}(${fc.stringify(drawn)})`,
    }))

/** Sequences of up to so many commands. By default, fast-check would create ten or so. */
export const manyOf = <Model extends object, Real>(
  commands: fc.Arbitrary<fc.AsyncCommand<Model, Real>>[],
  maxCommands: number,
) => fc.commands(commands, { maxCommands, size: 'max' })
