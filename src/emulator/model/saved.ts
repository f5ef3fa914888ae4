/** What a snapshot contains of a part of the state: what its `save` returns, and its constructor takes. */
export type Saved<Part extends { save(): unknown }> = ReturnType<Part['save']>

/** A part of a snapshot is not what was written. The message starts with its place. */
export class DamagedPart extends TypeError {}
